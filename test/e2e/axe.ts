/** @file What axe finds on the page: WCAG 2.2 AA, headings, landmarks, names. */
import AxeBuilder from '@axe-core/playwright'
import type { Studio } from './app.ts'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Rules that axe leaves out unless they are asked for. */
const rules = { 'label-content-name-mismatch': { enabled: true }, 'target-size': { enabled: true } }

type Theme = 'light' | 'dark'

export async function violations({ page }: Studio, themes: readonly Theme[] = ['light', 'dark']): Promise<string[]> {
  const found: string[] = []
  for (const theme of themes) {
    await page.evaluate((value) => window.mien.settings.set({ theme: value }), theme)
    await page.locator(`html[data-theme="${theme}"]`).waitFor({ state: 'attached' })
    // A colour on its way from one theme to the other is no colour of either.
    await page.waitForFunction(() => document.getAnimations().length === 0)
    const { violations: list } = await new AxeBuilder({ page })
      .setLegacyMode()
      .options({ rules })
      .withTags(tags)
      .analyze()
    for (const { id, nodes } of list) {
      for (const node of nodes) found.push(`${theme} ${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`)
    }
  }
  return found
}
