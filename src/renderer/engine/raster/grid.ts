/** @file Coarse grids over a picture. */

export interface Grid {
  columns: number
  rows: number
  /** Pixels of a cell's side. */
  cell: number
}

export function gridFor(width: number, height: number, cell: number): Grid {
  return { cell, columns: Math.ceil(width / cell) + 1, rows: Math.ceil(height / cell) + 1 }
}
