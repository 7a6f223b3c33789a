/** @file Tables of text that fit a terminal. Pure. */

/** Characters that take two columns: those of East Asia, full-width forms and emoji. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\p{Emoji_Presentation}]/u
const noWidth = /\p{Mn}/u
const between = '  '

const columnsOf = (character: string): number => (noWidth.test(character) ? 0 : wide.test(character) ? 2 : 1)

/** Columns that a text takes in a terminal. */
export const displayWidth = (text: string): number =>
  Array.from(text).reduce((sum, character) => sum + columnsOf(character), 0)

/** Cuts a text to a number of columns, with an ellipsis. */
export function cut(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let kept = ''
  let used = 1
  for (const character of text) {
    used += columnsOf(character)
    if (used > columns) break
    kept += character
  }
  return `${kept}…`
}

/**
 * Lines of rows whose cells begin in the same column.
 * @param columns of the terminal; Infinity: none. The last cell of a row is cut to fit, or left out.
 */
export function tableLines(rows: readonly (readonly string[])[], columns = Infinity): string[] {
  const widths: number[] = []
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell))
  const lastAt = widths.length - 1
  const before = widths.slice(0, lastAt).reduce((sum, width) => sum + width + between.length, 0)
  const room = Math.max(columns - before, 8)
  return rows.map((row) =>
    row
      .map((cell, at) => (at === lastAt ? cut(cell, room) : cell + ' '.repeat((widths[at] ?? 0) - displayWidth(cell))))
      .join(between)
      .trimEnd(),
  )
}
