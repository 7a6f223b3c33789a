/** @file Text for search. */

/** Normalises text for search: removes case and accents. */
export const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** The folded words of a search. */
export const wordsOf = (search: string): string[] => fold(search).split(/\s+/).filter(Boolean)
