import type { Point } from '../../src/renderer/studio/logic/pictures/zoom.ts'
import type { Studio } from './app.ts'

/** Red, green and blue at points of the window, all read from one picture of the part around them. */
export async function screenPixels(
  { app, page }: Studio,
  points: readonly Point[],
): Promise<[number, number, number][]> {
  const places = points.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) }))
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)]
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  const clip = { x: left, y: top, width: Math.max(...xs) - left + 1, height: Math.max(...ys) - top + 1 }
  const png = await page.screenshot({ animations: 'allow', caret: 'initial', clip })
  return app.evaluate(
    ({ nativeImage }, { base64, inside }) => {
      const image = nativeImage.createFromBuffer(Buffer.from(base64, 'base64'))
      const { width } = image.getSize()
      const pixels = image.toBitmap()
      return inside.map(({ x, y }) => {
        const at = (y * width + x) * 4
        return [pixels[at + 2] ?? 0, pixels[at + 1] ?? 0, pixels[at] ?? 0]
      })
    },
    { base64: png.toString('base64'), inside: places.map(({ x, y }) => ({ x: x - left, y: y - top })) },
  )
}
