/** @file Options that `swap` and `submit` share. Pure. */
import { MienError } from '@shared/mien-error.ts'
import { defaultOptions, keepable, maxPictures, type Keepable, type SwapOptions } from '@shared/swap-options.ts'

const usage = (reason: string): MienError => new MienError('usage', { reason })

/**
 * The values of `--likeness` and `--keep`; null: not given. The name of a method is looked up later.
 * @throws MienError `usage`
 */
export function readSwapOptions(likeness: string | null, keep: string | null): Omit<SwapOptions, 'method'> {
  if (likeness !== null && !(/^\d{1,3}$/.test(likeness) && Number(likeness) <= 100))
    throw usage('--likeness must be a whole number from 0 to 100')
  return {
    likeness: likeness === null ? defaultOptions.likeness : Number(likeness),
    keep: keep === null ? [...defaultOptions.keep] : readKeep(keep),
  }
}

/** Names separated by commas, or `none`. */
function readKeep(text: string): Keepable[] {
  const names = text === 'none' ? [] : text.split(',').map((name) => name.trim())
  const isKeepable = (name: string): name is Keepable => keepable.some((part) => part === name)
  if (!names.every(isKeepable)) throw usage(`--keep must be none, or some of ${keepable.join(',')}`)
  return [...new Set(names)]
}

/**
 * The pictures of `--face`, which may be given more than once.
 * @throws MienError `usage`
 */
export function readPictures(values: readonly string[]): readonly [string, ...string[]] {
  const [first, ...more] = values
  if (first === undefined || values.includes('')) throw usage('--face is missing')
  if (values.length > maxPictures) throw usage(`--face can be given at most ${String(maxPictures)} times`)
  return [first, ...more]
}
