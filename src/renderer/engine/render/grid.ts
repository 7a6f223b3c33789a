/** @file Coarse grids over a picture, and reading them along its rows. */

export interface Grid {
  columns: number
  rows: number
  /** Pixels of a cell's side. */
  cell: number
}

export function gridFor(width: number, height: number, cell: number): Grid {
  return { cell, columns: Math.ceil(width / cell) + 1, rows: Math.ceil(height / cell) + 1 }
}

/** Reads fields over a grid along the rows of a picture, by straight lines between the centres of cells. */
export class FieldRows {
  /** The fields at the current row, one value a column of cells and a repeated one at the end. */
  readonly lines: Float32Array[]
  readonly #grid: Grid
  readonly #cell: number
  readonly #fields: readonly Float32Array[]
  readonly #span = { cell: 0, fraction: 0, step: 0, end: 0 }

  /** @param cell in pixels of the picture that is read for */
  constructor(grid: Grid, cell: number, fields: readonly Float32Array[]) {
    this.#grid = grid
    this.#cell = cell
    this.#fields = fields
    this.lines = fields.map(() => new Float32Array(grid.columns + 1))
  }

  at(row: number): void {
    const { columns, rows } = this.#grid
    const y = Math.max(0, (row + 0.5) / this.#cell - 0.5)
    const upper = Math.min(rows - 1, y | 0)
    const lower = Math.min(rows - 1, upper + 1)
    const fraction = y - upper
    for (const [index, field] of this.#fields.entries()) {
      const line = this.lines[index]
      if (!line) continue
      for (let column = 0; column < columns; column += 1) {
        const a = field[upper * columns + column] ?? 0
        line[column] = a + ((field[lower * columns + column] ?? 0) - a) * fraction
      }
      line[columns] = line[columns - 1] ?? 0
    }
  }

  /** From a pixel on: which two cells it lies between, how far, the step a pixel makes, and where that ends. */
  span(column: number): { cell: number; fraction: number; step: number; end: number } {
    const x = (column + 0.5) / this.#cell - 0.5
    const span = this.#span
    if (x < 0) {
      span.cell = 0
      span.fraction = 0
      span.step = 0
      span.end = Math.max(column + 1, Math.ceil(this.#cell / 2 - 0.5))
    } else {
      const cell = Math.min(x | 0, this.#grid.columns - 1)
      span.cell = cell
      span.fraction = x - cell
      span.step = 1 / this.#cell
      span.end = Math.max(column + 1, Math.ceil((cell + 1.5) * this.#cell - 0.5))
    }
    return span
  }
}
