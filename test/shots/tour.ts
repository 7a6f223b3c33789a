/** @file Pictures of the main pages in any language: pages are reached by keys, files, and order on the page only. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dropFiles, type Studio } from '../e2e/app.ts'
import { clips, sample } from '../fixtures/clip.ts'

export type Shoot = (name: string, only?: 'large' | 'all') => Promise<void>

const portraits = fileURLToPath(new URL('../bench/quality/people/', import.meta.url))
const names = { Kjell: 'kjell-lindgren', Mae: 'mae-jemison', Guion: 'guion-bluford', Jeanette: 'jeanette-epps' }

/** Files of a batch, with names that people would give them. */
export function batchFiles(folder: string): string {
  mkdirSync(folder)
  for (const [name, portrait] of Object.entries(names))
    copyFileSync(join(portraits, `${portrait}.jpg`), join(folder, `${name}.jpg`))
  copyFileSync(sample.video, join(folder, 'Launch day.mp4'))
  copyFileSync(clips.threePeople, join(folder, 'Crew portrait.mp4'))
  copyFileSync(clips.twelveSeconds, join(folder, 'Interview, blue.mp4'))
  copyFileSync(clips.portrait, join(folder, 'Walk-on.mp4'))
  return folder
}

/**
 * @param studio just started, with swaps in its library
 * @param folder of `batchFiles`
 */
export async function tour({ page }: Studio, shoot: Shoot, folder: string): Promise<void> {
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const menu = async (selector: string, name: string): Promise<void> => {
    await page.locator(selector).first().click()
    await shoot(name, 'large')
    await press('Escape')
  }

  await press('Control+n')
  await dropFiles(page, '[data-slot=face]', [join(portraits, 'mae-jemison.jpg')])
  await page.locator('[data-slot=face] .fill, [data-slot=face] img').first().waitFor()
  await dropFiles(page, '[data-slot=video]', [clips.threePeople])
  await page.locator('.person, [data-person]').first().waitFor()
  await page.waitForTimeout(2000)
  await shoot('people')
  await press('i')
  await page.waitForTimeout(500)
  await shoot('trim', 'large')

  await dropFiles(page, 'main', [folder])
  await page.locator('[role=grid] [data-at="4 4"]').waitFor()
  await page.waitForTimeout(1000)
  await shoot('batch')
  await press('Control+e')
  await shoot('batch-options')
  await menu('aside [aria-haspopup=menu]', 'presets')
  await press('Control+e')

  await press('Control+l')
  await page.locator('[data-state=kept]').first().waitFor()
  await press('f')
  await shoot('filter', 'large')
  await press('Escape')
  await page.locator('[data-state=kept]').first().focus()
  await press('Shift+ArrowRight', 'Shift+ArrowRight')
  await shoot('selection')
  await press('t')
  await page.locator('dialog[open], [role=dialog]').first().waitFor()
  await shoot('tag', 'large')
  await press('Escape', 'Escape')
  await page.locator('[data-state=kept]').first().click({ button: 'right' })
  await shoot('swap-menu', 'large')
  await press('Escape')
  await page.locator('[data-state=kept]').first().press('Enter')
  await page.waitForTimeout(1000)
  await shoot('task')
  await press('Escape')
  await page.locator('[data-state=failed]').first().press('Enter')
  await shoot('failed', 'large')
  await press('Escape')

  await addSwaps(page, ['Launch day, close-up', 'Launch day, take 5', 'Interview, blue', 'Walk-on'])
  await press('Control+j')
  await page.locator('.queue [aria-haspopup=menu]').first().waitFor()
  await page.waitForTimeout(1500)
  await shoot('queue')
  await menu('.queue [aria-haspopup=menu]', 'queue-pause')
  await press('Escape')

  await press('Control+,')
  const tabs = page.locator('.settings nav button')
  await tabs.first().waitFor()
  for (let n = 0; n < (await tabs.count()); n += 1) {
    await tabs.nth(n).click()
    await page.waitForTimeout(200)
    await shoot(`settings-${String(n + 1)}`, n === 0 ? 'all' : 'large')
  }
  await press('Control+k')
  await shoot('palette', 'large')
  await press('Escape', 'F1')
  await shoot('shortcuts', 'large')
  await press('Escape')
}

/** Adds swaps of the sample. */
const addSwaps = (page: Studio['page'], titles: readonly string[]): Promise<void> =>
  page.evaluate(async (all) => {
    const sample = await window.mien.intake.sample()
    if (!sample.ok) throw new Error(sample.error.code)
    const { face, video } = sample.value
    for (const title of all)
      await window.mien.tasks.submit({ faceId: face.id, videoId: video.id, title, profileId: 'this-computer' })
  }, titles)
