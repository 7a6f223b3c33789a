/** The median; of an even number of values the higher one of the middle, of none 0. */
export const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
