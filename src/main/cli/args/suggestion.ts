/** @file What somebody who mistyped a name probably meant. Pure. */
import { m } from '@shared/i18n/paraglide/messages.js'

/** Adds the most similar name to a sentence about an unknown one, if one is similar. */
export function suggesting(problem: string, word: string, names: readonly string[]): string {
  const name = closest(word, names)
  return name === null ? problem : m.cli_did_you_mean({ problem, name })
}

/** The name that differs least, by at most a third of its letters; null: none does. */
export function closest(word: string, names: readonly string[]): string | null {
  let found: { name: string; edits: number } | null = null
  for (const name of names) {
    const edits = editsBetween(word.toLowerCase(), name)
    // Dashes are no letters.
    if (edits <= Math.max(1, name.replaceAll('-', '').length / 3) && edits < (found?.edits ?? Infinity))
      found = { name, edits }
  }
  return found?.name ?? null
}

/** Letters to insert, remove, replace, or exchange with their neighbour (optimal string alignment). */
function editsBetween(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isExchanged ? (before[j - 2] ?? 0) + 1 : Infinity,
      )
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
