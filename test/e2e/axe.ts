/** @file What axe finds on the page: WCAG 2.2 AA, headings, landmarks, names, all in one theme; colours in both. */
import AxeBuilder from '@axe-core/playwright'
import type { Studio } from './app.ts'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Rules that axe leaves out unless they are asked for. */
const rules = { 'label-content-name-mismatch': { enabled: true }, 'target-size': { enabled: true } }

/** The rules whose answer depends on the theme. */
const colours = ['color-contrast', 'link-in-text-block']

export async function violations({ page }: Studio): Promise<string[]> {
  const found: string[] = []
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((value) => window.mien.settings.set({ theme: value }), theme)
    await page.locator(`html[data-theme="${theme}"]`).waitFor({ state: 'attached' })
    // A colour on its way from one theme to the other is no colour of either.
    await page.waitForFunction(() => document.getAnimations().length === 0)
    const axe = new AxeBuilder({ page }).setLegacyMode()
    const { violations: list } = await (
      theme === 'dark' ? axe.withRules(colours) : axe.options({ rules }).withTags(tags)
    ).analyze()
    for (const { id, nodes } of list) {
      for (const node of nodes) found.push(`${theme} ${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`)
    }
  }
  return found
}
