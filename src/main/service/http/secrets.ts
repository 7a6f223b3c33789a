/** @file Keys as text, their hashes, and how secrets are compared. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const prefix = 'sk-mien-'

/** A new key, and what is shown of it later. */
export function newKey(): { sk: string; mask: string; lastFour: string } {
  const sk = prefix + randomBytes(32).toString('base64url')
  const lastFour = sk.slice(-4)
  return { sk, mask: `${prefix}…${lastFour}`, lastFour }
}

/** Keys are looked up by hash, so that the duration of a lookup reveals nothing about a key. */
export const hashOf = (sk: string): string => createHash('sha256').update(sk).digest('hex')

/** The duration reveals nothing but the length. */
export function sameSecret(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
