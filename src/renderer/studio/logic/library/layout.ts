/**
 * @file Layout of the virtualised library: only the rows in the viewport are in the DOM. Swaps and sets are identified
 * by their index in display order. Lengths are CSS pixels from the top of the list.
 */

/** Consecutive swaps under one heading. */
interface Block {
  /** Start of its day in epoch ms; null without a heading. */
  readonly day: number | null
  readonly top: number
  /** Index of its first item, and number of items. */
  readonly from: number
  readonly count: number
  /** Number of swaps, with those of folded sets. */
  readonly swaps: number
  /** Number of rows before it, including headings. */
  readonly row: number
}

interface Measures {
  readonly columns: number
  readonly rowHeight: number
  readonly headingHeight: number
}

export interface Layout extends Measures {
  readonly blocks: readonly Block[]
  readonly height: number
  readonly rows: number
}

/** A heading (`from` = `to`) or a line of swaps with indexes from `from` up to, but not including, `to`. */
interface Row {
  readonly block: Block
  readonly top: number
  readonly height: number
  /** From 0, including headings. */
  readonly row: number
  readonly from: number
  readonly to: number
}

/** The number of columns that fit if each is at least `min` wide. */
export const columnsIn = (width: number, min: number, gap: number): number =>
  Math.max(1, Math.floor((width + gap) / (min + gap)))

/** @param days (start of day, number of items, number of swaps) …; if empty, one block of `count` items without a heading */
export function layOut(days: ArrayLike<number>, count: number, measures: Measures): Layout {
  const { columns, rowHeight, headingHeight } = measures
  const blocks: Block[] = []
  let [top, from, row] = [0, 0, 0]
  const add = (day: number | null, of: number, swaps: number): void => {
    blocks.push({ day, top, from, count: of, swaps, row })
    const lines = Math.ceil(of / columns)
    top += (day === null ? 0 : headingHeight) + lines * rowHeight
    row += (day === null ? 0 : 1) + lines
    from += of
  }
  for (let at = 0; at < days.length; at += 3) add(days[at] ?? 0, days[at + 1] ?? 0, days[at + 2] ?? 0)
  if (days.length === 0 && count > 0) add(null, count, count)
  return { ...measures, blocks, height: top, rows: row }
}

/** Binary search: index of the last block for which `reached` is true. It must be false for all blocks after that. */
function lastBlock({ blocks }: Layout, reached: (block: Block) => boolean): number {
  let [low, high] = [0, blocks.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const block = blocks[middle]
    if (block && reached(block)) low = middle
    else high = middle - 1
  }
  return low
}

/** The block at an offset; the first block above the list, the last below it. */
export const blockAt = (layout: Layout, offset: number): Block | undefined =>
  layout.blocks[lastBlock(layout, ({ top }) => top <= offset)]

const headingOf = ({ headingHeight }: Layout, { day }: Block): number => (day === null ? 0 : headingHeight)

function lineOf(layout: Layout, block: Block, line: number): Row {
  const { columns, rowHeight } = layout
  const heading = headingOf(layout, block)
  const from = block.from + line * columns
  return {
    ...{ block, from, to: Math.min(from + columns, block.from + block.count) },
    ...{ top: block.top + heading + line * rowHeight, height: rowHeight },
    row: block.row + (heading > 0 ? 1 : 0) + line,
  }
}

/** The rows in the viewport, plus `spare` pixels above and below. */
export function rowsInSight(layout: Layout, top: number, height: number, spare: number): Row[] {
  const { blocks, columns, rowHeight } = layout
  const [low, high] = [top - spare, top + height + spare]
  const rows: Row[] = []
  for (let index = lastBlock(layout, (block) => block.top <= low); index < blocks.length; index += 1) {
    const block = blocks[index]
    if (!block || block.top >= high) break
    const heading = headingOf(layout, block)
    if (heading > 0 && block.top + heading > low)
      rows.push({ block, top: block.top, height: heading, row: block.row, from: block.from, to: block.from })
    const lines = Math.ceil(block.count / columns)
    const first = Math.max(0, Math.floor((low - block.top - heading) / rowHeight))
    const last = Math.min(lines, Math.ceil((high - block.top - heading) / rowHeight))
    for (let line = first; line < last; line += 1) rows.push(lineOf(layout, block, line))
  }
  return rows
}

/** The row that contains a swap. */
export function rowOf(layout: Layout, index: number): Row | null {
  const block = layout.blocks[lastBlock(layout, ({ from }) => from <= index)]
  return block ? lineOf(layout, block, Math.floor((index - block.from) / layout.columns)) : null
}

/** Index of the swap that a key moves to; null for no move. Up and down keep the column if the row is long enough. */
export function neighbour(layout: Layout, from: number, key: string, page = 1): number | null {
  const count = layout.blocks.reduce((sum, block) => sum + block.count, 0)
  const line = rowOf(layout, from)
  if (line === null) return null
  const column = from - line.from
  /** Index in the row `by` rows away, or in the last row in that direction. */
  const inLine = (by: number): number | null => {
    let at = line
    for (let step = Math.abs(by); step > 0; step -= 1) {
      const next = by > 0 ? at.to : at.from - 1
      const row = next < 0 || next >= count ? null : rowOf(layout, next)
      if (row === null) break
      at = row
    }
    return at === line ? null : Math.min(at.from + column, at.to - 1)
  }
  switch (key) {
    case 'ArrowLeft':
      return from > 0 ? from - 1 : null
    case 'ArrowRight':
      return from < count - 1 ? from + 1 : null
    case 'ArrowUp':
      return inLine(-1)
    case 'ArrowDown':
      return inLine(1)
    case 'PageUp':
      return inLine(-page)
    case 'PageDown':
      return inLine(page)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}
