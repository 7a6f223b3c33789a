/** @file Compares versions (semver 2.0.0, section 11), as far as needed for Mien's versions. Pure. */

const form = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/

export const isVersion = (text: string): boolean => form.test(text)

export const isPrerelease = (text: string): boolean => form.exec(text)?.[4] !== undefined

/** Negative: `a` is older than `b`. An invalid version is older than any valid one. */
export function compareVersions(a: string, b: string): number {
  const left = form.exec(a)
  const right = form.exec(b)
  if (!left || !right) return Number(left !== null) - Number(right !== null)
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part])
    if (difference !== 0) return difference
  }
  return comparePrereleases(left[4], right[4])
}

function comparePrereleases(a: string | undefined, b: string | undefined): number {
  // A release is newer than its prereleases.
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  const left = a.split('.')
  const right = b.split('.')
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const one = left[index]
    const other = right[index]
    if (one === undefined || other === undefined) return left.length - right.length
    if (one === other) continue
    const numbers = [one, other].map((part) => (/^\d+$/.test(part) ? Number(part) : null))
    const [first = null, second = null] = numbers
    if (first !== null && second !== null) return first - second
    if (first !== null || second !== null) return first !== null ? -1 : 1
    return one < other ? -1 : 1
  }
  return 0
}
