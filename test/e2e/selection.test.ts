/** @file What is done with selected results in the real app: copies, trash, another face, undo. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import type { MediaStore } from '../../src/main/media/media-store.ts'
import type { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import { sample } from '../fixtures/clip.ts'
import { clip, monaLisa, swap } from '../fixtures/fake-tasks.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { choosePaths } from './app.ts'
import { fillLibrary, openStudio } from './seeded.ts'

/** Files of results in the data folder; two have the same name. */
const files = ['results/Interview.mp4', 'results/Gallery.mp4', 'older/Gallery.mp4', 'results/Walk-on.mp4']
const dataDir = sharedDir()
let page: Page

beforeAll(() => {
  fillLibrary(dataDir, fill)
})
// gio uses the home's trash only for files on the disk of the home.
const env = { HOME: dataDir, XDG_DATA_HOME: join(dataDir, 'xdg') }
const studio = openStudio({ dataDir, env, size: [1280, 800] })
beforeAll(async () => {
  ;({ page } = studio)
  // No file is swapped: that swaps run is tested elsewhere.
  await page.evaluate(() => window.mien.profiles.pause({ profileId: 'this-computer', paused: true }))
})

/** Finished swaps with their files, newest first, and a failed one. */
function fill(store: TaskStore, media: MediaStore): void {
  const picture = media.addDerived(sample.face)
  const face = { ...monaLisa(Date.now()), id: picture, thumbnailId: picture }
  const video = media.addVideo(sample.video, clip({ coverId: picture }))
  const common = { face, video, coverId: picture, peopleIds: [] }
  for (const [index, file] of files.entries()) {
    const path = join(dataDir, file)
    mkdirSync(dirname(path), { recursive: true })
    copyFileSync(sample.video, path)
    const base = swap(`kept-${String(index)}`, Date.now() - index * 60_000, {
      ...common,
      title: `Take ${String(index)}`,
    })
    store.put({ ...base, result: base.result && { ...base.result, mediaId: media.addDerived(path) } })
  }
  const failed = { state: 'failed', result: null, error: { code: 'no-face-in-video', details: {} } } as const
  store.put(swap('failed', Date.now() - 600_000, { ...common, ...failed, title: 'Take 4' }))
}

const cell = (take: number) => page.getByRole('gridcell', { name: new RegExp(`Take ${String(take)}(?!\\d)`) })
const bar = () => page.getByRole('region', { name: 'Selected swaps' })
const shown = () =>
  page.locator('[data-task]').evaluateAll((cells) => cells.map((each) => each.getAttribute('data-task')))

async function selectAll(): Promise<void> {
  await cell(0).focus()
  await page.keyboard.press('ControlOrMeta+a')
  await bar().getByText('5 selected').waitFor()
}

it('saves copies of all, and never over a file', async () => {
  const folder = join(dataDir, 'copies')
  mkdirSync(folder)
  writeFileSync(join(folder, 'Interview.mp4'), 'mine')
  await choosePaths(studio, folder)
  await selectAll()
  await bar().getByRole('button', { name: 'Save copies…' }).click()
  await page.getByText('4 copies saved').waitFor()
  await page.getByText('1 swap isn’t finished, so it has no file.').waitFor()
  const names = ['Gallery 2.mp4', 'Gallery.mp4', 'Interview 2.mp4', 'Interview.mp4', 'Walk-on.mp4']
  expect(readdirSync(folder).sort()).toEqual(names)
  expect(readFileSync(join(folder, 'Interview.mp4'), 'utf8')).toBe('mine')
  expect(readFileSync(join(folder, 'Interview 2.mp4')).equals(readFileSync(sample.video))).toBe(true)
})

it('copies the files, so that one can be pasted', async () => {
  await page.keyboard.press('Escape')
  await bar().waitFor({ state: 'detached' })
  await cell(0).focus()
  await page.keyboard.press('ControlOrMeta+c')
  await page.getByText('1 file copied').waitFor()
  const pasted = await page.evaluate(() => window.mien.intake.clipboard())
  expect(pasted).toMatchObject({ value: { kind: 'file', mediaSlot: 'video', name: 'Interview.mp4' } })
})

it('opens a result in the default program', async () => {
  await studio.app.evaluate(({ shell }) => {
    shell.openPath = (path) => {
      Object.assign(globalThis, { openedPath: path })
      return Promise.resolve('')
    }
  })
  await cell(0).press('Alt+Enter')
  const opened = () => studio.app.evaluate(() => (globalThis as { openedPath?: string }).openedPath)
  await expect.poll(opened).toBe(join(dataDir, 'results', 'Interview.mp4'))
})

it('drags the selection out of the window', async () => {
  await studio.app.evaluate(({ webContents }) => {
    for (const each of webContents.getAllWebContents())
      each.startDrag = ({ files, icon }) => {
        Object.assign(globalThis, { dragged: { files, isEmpty: typeof icon === 'string' || icon.isEmpty() } })
      }
  })
  await selectAll()
  const [from, to] = [await cell(1).boundingBox(), await bar().boundingBox()]
  if (!from || !to) throw new Error('not in sight')
  await page.mouse.move(from.x + from.width / 2, from.y + 60)
  await page.mouse.down()
  await page.mouse.move(from.x + from.width / 2 + 40, from.y + 90, { steps: 5 })
  const dragged = () => studio.app.evaluate(() => (globalThis as { dragged?: object }).dragged)
  await expect.poll(dragged).toMatchObject({ files: { length: 4 }, isEmpty: false })
  await page.mouse.up()
  // The selection stays, and nothing was opened.
  await bar().getByText('5 selected').waitFor()
  await page.keyboard.press('Escape')
})

it.runIf(process.platform === 'linux')(
  'moves files to the trash after a question; what can’t be moved stays',
  async () => {
    await studio.app.evaluate(({ shell }) => {
      const trashItem = shell.trashItem.bind(shell)
      shell.trashItem = (path) => (path.endsWith('Walk-on.mp4') ? Promise.reject(new Error('busy')) : trashItem(path))
    })
    await cell(3).focus()
    await page.keyboard.press('Space')
    await cell(1).focus()
    await page.keyboard.press('Space')
    await bar().getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Move to trash…' }).click()
    const question = page.getByRole('alertdialog', { name: 'Remove 2 swaps and move their files to the trash?' })
    await question.getByRole('button', { name: 'Move to trash' }).click()
    const report = page.getByRole('alertdialog', { name: '1 of 2 files moved to the trash' })
    await report.getByText('“Walk-on.mp4” can’t be moved to the trash').waitFor()
    await report.getByRole('button', { name: 'Close' }).click()
    await expect.poll(shown).toEqual(['kept-0', 'kept-2', 'kept-3', 'failed'])
    expect(existsSync(join(dataDir, 'results', 'Gallery.mp4'))).toBe(false)
    expect(readdirSync(join(dataDir, 'xdg', 'Trash', 'files'))).toEqual(['Gallery.mp4'])
    expect(existsSync(join(dataDir, 'results', 'Walk-on.mp4'))).toBe(true)
  },
)
