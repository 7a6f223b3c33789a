/** @file What axe finds on the page: WCAG 2.2 AA, headings, landmarks, names, all in one theme; colours in both. */
import axe, { type RunOptions } from 'axe-core'
import type { Studio } from './app.ts'

/** What is asked in each theme. `rules`: those that axe leaves out unless they are asked for. */
const asked: Record<'light' | 'dark', RunOptions> = {
  light: {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: { 'label-content-name-mismatch': { enabled: true }, 'target-size': { enabled: true } },
  },
  // The rules whose answer depends on the theme.
  dark: { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
}

export async function violations({ page }: Studio): Promise<string[]> {
  // A page keeps it: bringing it there takes longer than a run.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const found: string[] = []
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((value) => window.mien.settings.set({ theme: value }), theme)
    await page.locator(`html[data-theme="${theme}"]`).waitFor({ state: 'attached' })
    // A colour on its way from one theme to the other is no colour of either.
    await page.waitForFunction(() => document.getAnimations().length === 0)
    const list = await page.evaluate(async (options) => {
      const { axe: inPage } = window as unknown as { axe: typeof axe }
      return (await inPage.run({ ...options, resultTypes: ['violations'] })).violations
    }, asked[theme])
    for (const { id, nodes } of list) {
      for (const node of nodes) found.push(`${theme} ${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`)
    }
  }
  return found
}
