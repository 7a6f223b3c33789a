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

/** @param within a selector of what is new, where the rest of the page was checked before */
export async function violations({ page }: Studio, within = ':root'): Promise<string[]> {
  // A page keeps it: bringing it there takes longer than a run.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(
    async ({ options, selector }) => {
      const { axe: inPage } = window as unknown as { axe: typeof axe }
      const { dataset } = document.documentElement
      const { theme: own = '' } = dataset
      const found: string[] = []
      for (const theme of ['light', 'dark'] as const) {
        // As the setting does, without its way through main.
        dataset['theme'] = theme
        // A colour on its way from one theme to the other is no colour of either.
        await Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => null)))
        const { violations: list } = await inPage.run(selector, { ...options[theme], resultTypes: ['violations'] })
        for (const { id, nodes } of list)
          for (const node of nodes)
            found.push(`${theme} ${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`)
      }
      dataset['theme'] = own
      return found
    },
    { options: asked, selector: within },
  )
}
