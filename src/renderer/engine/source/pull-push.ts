/**
 * Fills unknown pixels smoothly from known ones. It averages known pixels down a pyramid, then interpolates the
 * averages back up into unknown pixels (Gortler et al., "The Lumigraph", 1996, section 3.2).
 * @param rgb three floats per pixel; filled in place
 * @param known weight of each pixel, 0…1; 0 is unknown
 */
export function pullPush(rgb: Float32Array, known: Float32Array, width: number, height: number): void {
  if (width <= 1 || height <= 1) return
  const smallWidth = (width + 1) >> 1
  const smallHeight = (height + 1) >> 1
  const small = new Float32Array(smallWidth * smallHeight * 3)
  const smallKnown = new Float32Array(smallWidth * smallHeight)
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const pixel = row * width + column
      const weight = known[pixel] ?? 0
      if (weight === 0) continue
      const to = (row >> 1) * smallWidth + (column >> 1)
      smallKnown[to] = (smallKnown[to] ?? 0) + weight
      for (let c = 0; c < 3; c += 1) small[to * 3 + c] = (small[to * 3 + c] ?? 0) + (rgb[pixel * 3 + c] ?? 0) * weight
    }
  }
  for (let to = 0; to < smallKnown.length; to += 1) {
    const weight = smallKnown[to] ?? 0
    if (weight === 0) continue
    for (let c = 0; c < 3; c += 1) small[to * 3 + c] = (small[to * 3 + c] ?? 0) / weight
    smallKnown[to] = Math.min(1, weight)
  }
  pullPush(small, smallKnown, smallWidth, smallHeight)
  for (let row = 0; row < height; row += 1) {
    const y = Math.max(0, row / 2 - 0.25)
    const top = Math.min(smallHeight - 1, Math.floor(y))
    const bottom = Math.min(smallHeight - 1, top + 1)
    for (let column = 0; column < width; column += 1) {
      const pixel = row * width + column
      const weight = known[pixel] ?? 0
      if (weight >= 1) continue
      const x = Math.max(0, column / 2 - 0.25)
      const left = Math.min(smallWidth - 1, Math.floor(x))
      const right = Math.min(smallWidth - 1, left + 1)
      for (let c = 0; c < 3; c += 1) {
        const at = (r: number, k: number): number => small[(r * smallWidth + k) * 3 + c] ?? 0
        const above = at(top, left) + (at(top, right) - at(top, left)) * (x - left)
        const below = at(bottom, left) + (at(bottom, right) - at(bottom, left)) * (x - left)
        const fill = above + (below - above) * (y - top)
        rgb[pixel * 3 + c] = fill + ((rgb[pixel * 3 + c] ?? 0) - fill) * weight
      }
    }
  }
}
