/**
 * @file How few actions a batch takes, with real files in the real app. A drop, a click and a press of a shortcut are
 * one action each.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { portraitOf, sample, shortClip } from '../fixtures/clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { dropFiles, type Studio } from './app.ts'
import { launchWarm } from './warm.ts'

const dir = sharedDir()
let studio: Studio
let actions: number

beforeAll(async () => {
  studio = await launchWarm()
  // That swaps of several files are made is tested by batch.test.ts.
  await studio.page.evaluate(() => window.mien.profiles.pause({ profileId: 'this-computer', paused: true }))
})
afterAll(() => studio.quit())

beforeEach(() => {
  actions = 0
})

/** Pictures of different people. */
const faces = ['frederick-gregory', 'guion-bluford', 'kjell-lindgren', 'mae-jemison'].map(portraitOf)

/** Videos of different lengths, so of different content. */
const videos = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => shortClip(join(dir, `take-${String(n + 1)}.mp4`), 5 + 4 * n)))

const user = {
  drop: (files: string[]) => {
    actions += 1
    return dropFiles(studio.page, 'main', files)
  },
  confirm: () => {
    actions += 1
    return studio.page.getByRole('checkbox', { name: 'I may use' }).click()
  },
  press: (keys: string) => {
    actions += 1
    return studio.page.keyboard.press(keys)
  },
}

/** Waits until four more swaps are in the library, and all are different. */
async function expectSwaps(count: number): Promise<void> {
  const { page, dataDir } = studio
  await page.getByTitle('4 swaps added').waitFor()
  const db = new DatabaseSync(join(dataDir, 'library.db'), { readOnly: true })
  const swaps = db
    .prepare(`SELECT DISTINCT data ->> '$.face.id' AS face, data ->> '$.video.id' AS video FROM tasks`)
    .all()
  db.close()
  expect(swaps).toHaveLength(count)
}

it('puts four faces into one video with at most six actions', async () => {
  const { page } = studio
  const target = await videos(1)
  await user.drop(faces)
  // While the faces are still read.
  await user.drop(target)
  await page.getByText('4 faces, 1 file').waitFor()
  await user.confirm()
  await page.getByRole('button', { name: /^Swap 4/ }).waitFor()
  await user.press('ControlOrMeta+Enter')
  await expectSwaps(4)
  expect(actions).toBeLessThanOrEqual(6)
})

it('puts one face into four videos with at most four actions', async () => {
  const { page } = studio
  await page.getByTitle('4 swaps added').waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+n')
  await user.drop([sample.face])
  await page.getByText('1 face found').waitFor()
  await user.drop(await videos(4))
  await page.getByText('1 face, 4 files').waitFor()
  await user.confirm()
  await page.getByRole('button', { name: /^Swap 4/ }).waitFor()
  await user.press('ControlOrMeta+Enter')
  await expectSwaps(8)
  expect(actions).toBeLessThanOrEqual(4)
})
