/** @file Names of tags. Pure. */
import { MienError } from '../mien-error.ts'

export const longestTag = 64
/** Most tags of one swap. */
export const maxTags = 50
export const longestNote = 5000

// Control characters, and those that change the direction of the text around them.
const invisible = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/**
 * A tag as it is shown: without control characters and spaces around it.
 * @throws MienError `tag-invalid`: `reason` is `empty` or `long`
 */
export function readTag(text: string): string {
  const name = text.normalize('NFC').replace(invisible, ' ').replace(/\s+/g, ' ').trim()
  if (name === '') throw new MienError('tag-invalid', { reason: 'empty' })
  const { length } = Array.from(name)
  if (length > longestTag) throw new MienError('tag-invalid', { reason: 'long', length, max: longestTag })
  return name
}

/** The same for tags that differ in case or in width only: they are the same tag. */
export const tagKey = (name: string): string => name.normalize('NFKC').toLowerCase()

/** The tags in what a person typed, separated by commas, each once. @throws MienError as `readTag` */
export function splitTags(text: string): string[] {
  const names = text.split(/[,，、]/).filter((part) => part.trim() !== '')
  return [...new Map(names.map(readTag).map((name) => [tagKey(name), name])).values()]
}
