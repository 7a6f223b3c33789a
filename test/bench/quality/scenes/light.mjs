/** @file Light over a whole frame: exposure, contrast, warmth. */

/**
 * @param {import('../judges.mjs').Picture} frame
 * @param {{ gain?: number, gamma?: number, warm?: number }} how gain of the light, gamma of the tones (above 1 is darker)
 */
export function relight({ data }, { gain = 1, gamma = 1, warm = 0 }) {
  const gains = [gain * (1 + warm), gain, gain * (1 - warm)]
  const tables = gains.map((one) =>
    Uint8ClampedArray.from({ length: 256 }, (_, value) => 255 * Math.min(1, one * (value / 255) ** gamma)),
  )
  for (let at = 0; at < data.length; at += 1) data[at] = tables[at % 3]?.[data[at] ?? 0] ?? 0
}

/** Grain of a film, the same for the same frame. @param {import('../judges.mjs').Picture} frame @param {number} index @param {number} strength */
export function addGrain({ data }, index, strength) {
  let seed = (index + 1) * 2654435761
  for (let at = 0; at < data.length; at += 3) {
    let sum = 0
    for (let n = 0; n < 2; n += 1) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      sum += seed / 4294967296 - 0.5
    }
    const off = sum * strength
    for (let c = 0; c < 3; c += 1) data[at + c] = Math.max(0, Math.min(255, (data[at + c] ?? 0) + off))
  }
}
