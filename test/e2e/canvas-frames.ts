import type { Page } from 'playwright-core'
import { readNumber, spotsOf } from '../fixtures/numbered-clip.ts'

/** The frames that both canvases have, whatever part of them is shown. */
export async function canvasFrames(page: Page): Promise<{ before: number | null; after: number | null }> {
  const values = await page.evaluate(
    (sides) =>
      sides.map(({ name, spots }) => {
        const canvas = document.querySelector<HTMLCanvasElement>(`[aria-label^="${name}"] canvas`)
        const context = canvas?.getContext('2d')
        return spots.map(({ x, y }) => {
          const at = [Math.round(x * (canvas?.width ?? 0)), Math.round(y * (canvas?.height ?? 0))] as const
          return context?.getImageData(...at, 1, 1).data[1] ?? 0
        })
      }),
    [
      { name: 'Before:', spots: spotsOf('left') },
      { name: 'After:', spots: spotsOf('right') },
    ],
  )
  const [before, after] = values.map(readNumber)
  return { before: before ?? null, after: after ?? null }
}
