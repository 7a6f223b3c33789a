import type { Point } from '../../src/renderer/studio/logic/pictures/zoom.ts'
import type { Studio } from './app.ts'

/** Red, green and blue at points of the window, all read from one picture of it. */
export async function screenPixels(
  { app, page }: Studio,
  points: readonly Point[],
): Promise<[number, number, number][]> {
  const png = await page.screenshot({ animations: 'allow', caret: 'initial' })
  return app.evaluate(
    ({ nativeImage }, { base64, places }) => {
      const image = nativeImage.createFromBuffer(Buffer.from(base64, 'base64'))
      const { width } = image.getSize()
      const pixels = image.toBitmap()
      return places.map(({ x, y }) => {
        const at = (Math.round(y) * width + Math.round(x)) * 4
        return [pixels[at + 2] ?? 0, pixels[at + 1] ?? 0, pixels[at] ?? 0]
      })
    },
    { base64: png.toString('base64'), places: [...points] },
  )
}
