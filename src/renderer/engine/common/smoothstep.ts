/** Rises smoothly from 0 at `from` to 1 at `to` (3t² − 2t³). */
export function smoothstep(from: number, to: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)))
  return t * t * (3 - 2 * t)
}
