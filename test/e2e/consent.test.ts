/** @file Consents in the real app: details, a release, withdrawal, what it stops, undo, exports, and the command line. */
import { hash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { sample, shortClip } from '../fixtures/clip.ts'
import { jsonLines } from '../fixtures/command.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { dropFiles } from './app.ts'
import { runWarm } from './warm.ts'
import { openStudio, taskOf, fillSlots } from './seeded.ts'

const files = sharedDir()
const key = hash('sha256', readFileSync(sample.face))

beforeAll(async () => {
  await shortClip(join(files, 'clip.mp4'), 9)
  writeFileSync(join(files, 'release.pdf'), '%PDF-1.4 signed')
})
const studio = openStudio()

/** What the user chooses in the next dialogs. */
const choose = (open: string, save: string): Promise<void> =>
  studio.app.evaluate(
    ({ dialog }, paths) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [paths.open] })
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: paths.save })
    },
    { open, save },
  )

it('is given with details, and stops what hasn’t started when it is withdrawn', { timeout: 300_000 }, async () => {
  const { page, dataDir } = studio
  const button = (name: string, exact = true) => page.getByRole('button', { name, exact })
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true })
  await page.evaluate(() => window.mien.profiles.pause({ profileId: 'this-computer', paused: true }))
  await fillSlots(page, join(files, 'clip.mp4'))

  // Details, with a release that is refused first.
  await button('Add details…').click()
  const dialog = page.getByRole('dialog', { name: 'Consent: Ellen Ochoa' })
  await dialog.getByLabel('Confirmed by').fill('Ada Lovelace')
  await dialog.getByLabel('What for').fill('Trailer of “The engine”')
  await choose(files, '')
  await button('Choose file…').click()
  await dialog.getByRole('alert').getByText('It’s a folder.').waitFor()
  await choose(join(files, 'release.pdf'), '')
  await button('Choose file…').click()
  await dialog.getByText('release.pdf').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const box = page.getByRole('checkbox', { name: 'I may use this face' })
  expect(await box.isChecked()).toBe(true)

  // A queued swap.
  await button('Swap').click()
  await button('Show consent').waitFor()
  const state = async (): Promise<string> => (await taskOf(page)).state
  await expect.poll(state).toBe('queued')
  await button('Show consent').click()
  const row = page.getByRole('listitem').filter({ hasText: 'Ellen Ochoa' })
  await row.getByText('by Ada Lovelace').waitFor()
  await row.getByText('1 swap').waitFor()

  // Withdrawn: asked first; the swap fails.
  await row.getByRole('button', { name: /^More/ }).click()
  await item('Withdraw…').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw', exact: true }).click()
  await row.getByText(/^Withdrawn/).waitFor()
  expect(await state()).toBe('failed')

  // The composer and the command line refuse the face.
  await button('Back').click()
  await page.getByText('The consent for “ellen-ochoa.jpg” was withdrawn').first().waitFor()
  const out = join(files, 'out.mp4')
  const args = ['--face', sample.face, '--target', join(files, 'clip.mp4'), '--out', out, '--json']
  const refused = await runWarm(['swap', ...args, '--data-dir', dataDir], { cwd: files })
  expect(refused).toMatchObject({ code: 3 })
  expect(jsonLines(refused)).toMatchObject([{ status: 'failed', error: { code: 'consent-withdrawn' } }])
  expect(existsSync(out)).toBe(false)
  await button('Back').click()
  await button('New swap').click()
  await page.getByRole('button', { name: /^Swap/ }).first().waitFor()
  await dropFiles(page, 'main', [sample.face])
  await page.getByText('The consent was withdrawn').first().waitFor()

  // Exports.
  await page.getByRole('alert').getByRole('button', { name: 'Close' }).click()
  await button('Show consent').click()
  const [json, pdf] = [join(files, 'all.json'), join(files, 'all.pdf')]
  for (const [path, name] of [
    [json, 'Export as JSON…'],
    [pdf, 'Export as PDF…'],
  ] as const) {
    await choose('', path)
    await button('Export all').click()
    await item(name).click()
    await expect.poll(() => existsSync(path), { timeout: 30_000 }).toBe(true)
  }
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
    kind: 'consents',
    faces: [
      {
        picture: { sha256: key, name: 'ellen-ochoa.jpg' },
        consents: [{ givenBy: 'Ada Lovelace', release: { name: 'release.pdf', copy: 'unchanged' } }],
        swaps: [{ title: 'Clip', file: null }],
      },
    ],
  })
  await expect.poll(() => readFileSync(pdf, 'latin1').startsWith('%PDF-')).toBe(true)

  const list = await runWarm(['consent', 'list', '--json', '--data-dir', dataDir], { cwd: files })
  expect(jsonLines(list)).toMatchObject([{ face: key, withdrawnAt: expect.any(String) as string, swaps: 1 }])
  expect(readdirSync(join(dataDir, 'consents')).sort()).toEqual([`${key}.jpg`, 'releases'])
})
