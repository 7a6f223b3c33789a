/** @file Finds entries of the command palette. Pure. */
import { fold, wordsOf } from '@shared/fold.ts'

export interface Entry {
  readonly id: string
  readonly label: string
  /** Where it works or what it is; also searched. */
  readonly where: string
}

/** How well a label fits: 0 begins so, 1 each word begins a word, 2 contains all words, 3 with `where`; null: not. */
function fitOf({ label, where }: Entry, words: readonly string[]): number | null {
  const text = fold(label)
  const all = `${text} ${fold(where)}`
  if (!words.every((word) => all.includes(word))) return null
  if (text.startsWith(words.join(' '))) return 0
  if (words.every((word) => ` ${text}`.includes(` ${word}`))) return 1
  return words.every((word) => text.includes(word)) ? 2 : 3
}

/** The entries with all words of a search, without regard to case and accents: best first, recent ones before others. */
export function findEntries<E extends Entry>(entries: readonly E[], search: string, recent: readonly string[]): E[] {
  const words = wordsOf(search)
  const rankOf = ({ id }: Entry): number => (recent.includes(id) ? recent.indexOf(id) : recent.length)
  return entries
    .flatMap((entry) => {
      const fit = fitOf(entry, words)
      return fit === null ? [] : [{ entry, fit, rank: rankOf(entry) }]
    })
    .toSorted((a, b) => a.fit - b.fit || a.rank - b.rank)
    .map(({ entry }) => entry)
}
