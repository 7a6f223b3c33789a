/** @file Pictures of the page in both themes and two sizes, to look at. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Studio } from './app.ts'
import { resize } from './seeded.ts'

/** Does nothing unless the environment variable `variable` names a folder. */
export async function shoot(studio: Studio, variable: string, name: string): Promise<void> {
  const folder = process.env[variable]
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  const sizes = [[1280, 800] as const, [960, 640] as const]
  for (const [width, height] of sizes) {
    for (const theme of ['dark', 'light'] as const) {
      await resize(studio, width, height)
      await studio.page.evaluate((value) => window.mien.settings.set({ theme: value }), theme)
      await studio.page.waitForTimeout(700)
      await studio.page.screenshot({ path: join(folder, `${name}-${String(width)}-${theme}.png`) })
    }
  }
  await resize(studio, 1280, 800)
}
