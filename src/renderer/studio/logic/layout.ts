/**
 * @file Where the library's rows lie, so that of ten thousand swaps only those in sight are in the page.
 * Lengths in CSS pixels from the top of the list.
 */
import type { Task } from '@shared/task.ts'
import type { Day } from './library-view.ts'

export interface Row {
  readonly key: string
  readonly top: number
  readonly height: number
  readonly day: Day
  /** Empty: the heading of the day. */
  readonly tasks: readonly Task[]
}

export interface Measures {
  readonly columns: number
  readonly rowHeight: number
  readonly headingHeight: number
}

/** As many columns as fit, each at least `least` wide. */
export const columnsIn = (width: number, least: number, gap: number): number =>
  Math.max(1, Math.floor((width + gap) / (least + gap)))

export function layOut(days: readonly Day[], { columns, rowHeight, headingHeight }: Measures): Row[] {
  const rows: Row[] = []
  let top = 0
  const add = (key: string, height: number, day: Day, tasks: readonly Task[]): void => {
    rows.push({ key, top, height, day, tasks })
    top += height
  }
  days.forEach((day, index) => {
    if (day.heading !== '') add(`day ${String(index)}`, headingHeight, day, [])
    for (let at = 0; at < day.tasks.length; at += columns) {
      const tasks = day.tasks.slice(at, at + columns)
      add(tasks[0]?.id ?? '', rowHeight, day, tasks)
    }
  })
  return rows
}

export const heightOf = (rows: readonly Row[]): number => {
  const last = rows.at(-1)
  return last === undefined ? 0 : last.top + last.height
}

/** Index of the row at a height; the last one above it when it lies below everything. */
export function rowAt(rows: readonly Row[], offset: number): number {
  let low = 0
  let high = rows.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((rows[middle]?.top ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** The rows in sight, and `spare` pixels more on both sides. */
export const rowsInSight = (rows: readonly Row[], top: number, height: number, spare: number): readonly Row[] =>
  rows.slice(rowAt(rows, Math.max(0, top - spare)), rowAt(rows, top + height + spare) + 1)

/** The swap an arrow key leads to; null: it stays. Up and down keep the column as far as the row reaches. */
export function neighbour(rows: readonly Row[], from: string, key: string): string | null {
  const lines = rows.filter((row) => row.tasks.length > 0)
  const order = lines.flatMap((row) => row.tasks)
  const at = order.findIndex((task) => task.id === from)
  const line = lines.findIndex((row) => row.tasks.some((task) => task.id === from))
  const column = lines[line]?.tasks.findIndex((task) => task.id === from) ?? 0
  const inLine = (index: number): string | null => {
    const tasks = index < 0 ? undefined : lines[index]?.tasks
    return tasks?.[Math.min(column, tasks.length - 1)]?.id ?? null
  }
  switch (key) {
    case 'ArrowLeft':
      return at > 0 ? (order[at - 1]?.id ?? null) : null
    case 'ArrowRight':
      return order[at + 1]?.id ?? null
    case 'ArrowUp':
      return inLine(line - 1)
    case 'ArrowDown':
      return inLine(line + 1)
    case 'Home':
      return order[0]?.id ?? null
    case 'End':
      return order.at(-1)?.id ?? null
    default:
      return null
  }
}
