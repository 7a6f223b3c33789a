/** @file Compares secrets. Pure. */
import { timingSafeEqual } from 'node:crypto'

/** The duration reveals nothing but the length. */
export function sameSecret(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
