/** @file Many faces and targets at once in the real app: files and a folder are dropped, and the swaps really run. */
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { portraitOf, shortClip } from '../fixtures/clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { dropFiles } from './app.ts'
import { openStudio } from './seeded.ts'

const dir = sharedDir()
beforeAll(async () => {
  mkdirSync(join(dir, 'material', 'faces'), { recursive: true })
  copyFileSync(portraitOf('ellen-ochoa'), join(dir, 'material', 'faces', 'Ellen.jpg'))
  copyFileSync(portraitOf('guion-bluford'), join(dir, 'material', 'faces', 'Guion.jpg'))
  for (const [index, name] of ['astronaut', 'crew'].entries())
    await shortClip(join(dir, 'material', `${name}.mp4`), 5 + 4 * index)
  writeFileSync(join(dir, 'material', 'notes.txt'), 'nothing')
})
const studio = openStudio({ size: [1280, 800] })

it('takes a folder, and shows which face goes into which file', async () => {
  const { page } = studio
  await dropFiles(page, 'main', [join(dir, 'material')])
  await page.getByText('2 faces, 2 files').waitFor()
  await page.getByText('1 file can’t be used').waitFor()
  await page.getByRole('checkbox', { name: 'I may use' }).waitFor()
  await expect.poll(() => page.getByRole('checkbox', { name: / into / }).count()).toBe(4)
})

it('is used by keyboard', async () => {
  const { page } = studio
  await page.getByRole('checkbox', { name: 'Ellen into astronaut.mp4' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Space')
  await page.getByText('1 of 4 are switched off.').waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  // On a file, Space switches all swaps into it.
  await page.keyboard.press('Space')
  await page.getByText('Every face goes into every file.').waitFor()
  await page.keyboard.press('Space')
  await page.getByText('2 of 4 are switched off.').waitFor()
})

it('swaps all at once, in the order of the grid', async () => {
  const { page, dataDir } = studio
  await page.getByRole('textbox', { name: 'Titles' }).fill('{n} {face} as {target}')
  await page.keyboard.press('Tab')
  await page.getByRole('checkbox', { name: 'I may use' }).check()
  await page.getByRole('button', { name: /^Swap 2/ }).waitFor()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByTitle('2 swaps added').waitFor()
  await expect
    .poll(() =>
      readdirSync(join(dataDir, 'results'))
        .filter((name) => name.endsWith('.mp4'))
        .sort(),
    )
    .toEqual(['1 Ellen as Astronaut.mp4', '2 Guion as Astronaut.mp4'])
})
