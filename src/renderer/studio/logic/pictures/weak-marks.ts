/** @file Places the marks of weak parts on a line. */

/** Width of a mark in pixels. */
const markWidth = 20

/**
 * Marks that would cover an earlier one, or the selected one, become ticks.
 * @param shares middles of the parts on the line, 0…1, ascending
 * @param width of the line in pixels
 * @param selected index of the selected part; −1 if there is none
 */
export function placeMarks(
  shares: readonly number[],
  width: number,
  selected: number,
): { share: number; isTick: boolean }[] {
  const at = (share: number): number => share * width
  const chosen = shares[selected]
  let last = -Infinity
  return shares.map((share, index) => {
    const isNearChosen = chosen !== undefined && Math.abs(at(share) - at(chosen)) < markWidth
    const isTick = index !== selected && (isNearChosen || at(share) - last < markWidth)
    if (!isTick) last = at(share)
    return { share, isTick }
  })
}
