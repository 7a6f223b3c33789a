/** @file Coarse grid over a picture, for low-frequency statistics. */

export interface Grid {
  columns: number
  rows: number
  /** Side of a cell in pixels. */
  cell: number
}

export function gridFor(width: number, height: number, cell: number): Grid {
  return { cell, columns: Math.ceil(width / cell) + 1, rows: Math.ceil(height / cell) + 1 }
}
