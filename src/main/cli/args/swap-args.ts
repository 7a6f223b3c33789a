/** @file What commands that make swaps share: options, faces, targets and ranges. Pure. */
import { extname } from 'node:path'
import type { TargetKind } from '@shared/engine/engine.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { labels } from '@shared/options/label.ts'
import { languages } from '@shared/language.ts'
import { MienError, usage } from '@shared/mien-error.ts'
import { maxPeople, type Range } from '@shared/people/people.ts'
import { rangeProblem, readTime } from '@shared/people/range.ts'
import { extensionsOf, resultFormatOf } from '@shared/tasks/output.ts'
import {
  defaultOptions,
  encoderChoices,
  keepable,
  maxPictures,
  outputQualities,
  outputSizes,
  type Keepable,
  type SwapOptions,
} from '@shared/options/swap-options.ts'
import type { Read } from './read-args.ts'

/** The name of a method is looked up later. */
export type OptionsWithoutMethod = Omit<SwapOptions, 'method'>

export const consentOptionNames = ['consent-by', 'consent-for', 'release'] as const

/** What is written down with the consents for the faces; null: not given. */
export function readConsent({ text, path }: Pick<Read, 'text' | 'path'>) {
  const release = text('release')
  return { by: text('consent-by'), purpose: text('consent-for'), release: release && path(release) }
}
export type ConsentArgs = ReturnType<typeof readConsent>

/** Options of a swap that are read by `givenOptions`. */
export const swapOptionNames = ['likeness', 'keep', 'size', 'quality', 'encoder', 'label', 'label-language'] as const

/**
 * The values of those options that are given.
 * @param text value of an option; null: not given
 * @throws MienError `usage`
 */
export function givenOptions(text: (name: (typeof swapOptionNames)[number]) => string | null): Partial<SwapOptions> {
  const [likeness, keep, size] = [text('likeness'), text('keep'), text('size')]
  if (likeness !== null && !(/^\d{1,3}$/.test(likeness) && Number(likeness) <= 100)) throw usage(m.cli_likeness())
  const quality = oneOf('quality', text('quality'), outputQualities)
  const encoder = oneOf('encoder', text('encoder'), encoderChoices)
  const label = oneOf('label', text('label'), labels)
  const labelLanguage = oneOf('label-language', text('label-language'), languages)
  const lines = oneOf('size', size, ['source', ...outputSizes])
  return {
    ...(likeness === null ? {} : { likeness: Number(likeness) }),
    ...(keep === null ? {} : { keep: readKeep(keep) }),
    ...(lines === null ? {} : { size: lines === 'source' ? null : lines }),
    ...(quality === null ? {} : { quality }),
    ...(encoder === null ? {} : { encoder }),
    ...(label === null ? {} : { label }),
    ...(labelLanguage === null ? {} : { labelLanguage }),
  }
}

/** As `givenOptions`, with the default of the others. A size may be a number of lines, such as 720. */
function readSwapOptions(text: Parameters<typeof givenOptions>[0]): OptionsWithoutMethod {
  const { method: _, ...usual } = defaultOptions
  return { ...usual, ...givenOptions((name) => (name === 'size' ? withUnit(text(name)) : text(name))) }
}

const withUnit = (size: string | null): string | null => (size !== null && /^\d+$/.test(size) ? `${size}p` : size)

function oneOf<const T extends string>(option: string, value: string | null, values: readonly T[]): T | null {
  const found = values.find((each) => each === value)
  if (value !== null && found === undefined)
    throw usage(m.cli_one_of({ option: `--${option}`, values: values.join(', ') }))
  return found ?? null
}

/** Names separated by commas, or `none`. */
function readKeep(text: string): Keepable[] {
  const names = text === 'none' ? [] : text.split(',').map((name) => name.trim())
  const isKeepable = (name: string): name is Keepable => keepable.some((part) => part === name)
  if (!names.every(isKeepable)) throw usage(m.cli_keep({ names: keepable.join(',') }))
  return [...new Set(names)]
}

/** Options that say how swaps are made: those that `readMaking` reads, besides `--range`. */
export const makingNames = [...swapOptionNames, ...consentOptionNames, 'method', 'from', 'to', 'rest']

/**
 * How `swap`, `submit` and `batch` make swaps.
 * @param text value of an option; null: not given
 * @returns `range` null: the whole video; `method`: name of a model of the user's, null for the built-in method
 * @throws MienError `usage`, `range-invalid`
 */
export const readMaking = (read: Read, text: (name: string) => string | null) => ({
  range: readRange({ ranges: read.all('range'), from: text('from'), to: text('to'), rest: text('rest') }),
  options: readSwapOptions(text),
  method: text('method'),
  consent: readConsent(read),
})

/** Its pictures are paths, unless it says otherwise. */
export interface FaceArgs<Picture = string> {
  /** Whom it replaces; null: the largest face. */
  personId: string | null
  pictures: [Picture, ...Picture[]]
}
export type FaceList<Picture = string> = [FaceArgs<Picture>, ...FaceArgs<Picture>[]]

/**
 * The faces of `--face` or of `--cast`.
 * @param picture what a picture's name stands for, such as its absolute path
 * @throws MienError `usage`, and what `picture` throws
 */
export function readFaces<Picture>(
  face: readonly string[],
  cast: readonly string[],
  picture: (name: string) => Picture,
): FaceList<Picture> {
  const of = ({ personId, pictures: [first, ...more] }: FaceArgs): FaceArgs<Picture> => ({
    ...{ personId, pictures: [picture(first), ...more.map(picture)] },
  })
  if (cast.length === 0) return [of({ personId: null, pictures: readPictures(face) })]
  if (face.length > 0) throw usage(m.cli_face_or_cast())
  const [first, ...more] = readCast(cast)
  if (!first) throw usage(m.cli_missing({ option: '--cast' }))
  return [of(first), ...more.map(of)]
}

/**
 * The faces of `--cast`. The pictures of one person may be given in several.
 * @param max number of pictures of one person
 * @throws MienError `usage`
 */
export function readCast(cast: readonly string[], max?: number): FaceArgs[] {
  const faces = new Map<string, string[]>()
  for (const text of cast) {
    const [, personId = '', picture = ''] = /^([^=]{1,64})=(.+)$/.exec(text) ?? []
    if (personId === '') throw usage(m.cli_cast({ text }))
    faces.set(personId, [...(faces.get(personId) ?? []), picture])
  }
  if (faces.size > maxPeople) throw usage(m.cli_cast_people({ max: maxPeople }))
  return [...faces].map(([personId, pictures]) => ({ personId, pictures: readPictures(pictures, '--cast', max) }))
}

/**
 * The value of `--target`, or of `--video`, which is the same.
 * @throws MienError `usage`
 */
export function readTarget(target: string | null | undefined, video: string | null | undefined): string {
  const given = [target, video].filter((value) => value !== null && value !== undefined)
  const [value = ''] = given
  if (given.length > 1) throw usage(m.cli_same_option())
  if (value === '') throw usage(m.cli_target_missing())
  return value
}

/**
 * Checks that the name of the result fits what it will be.
 * @throws MienError `usage`
 */
export function checkExtension(out: string, target: { kind: TargetKind; codec: string | null }): void {
  const format = resultFormatOf(target)
  const extension = extname(out).slice(1).toLowerCase()
  if (!extensionsOf(format).includes(extension))
    throw usage(
      m.cli_out_extension({
        extensions: extensionsOf(format)
          .map((name) => `.${name}`)
          .join(', '),
      }),
    )
}

/**
 * The pictures of `--face`, which may be given more than once.
 * @throws MienError `usage`
 */
export function readPictures(
  values: readonly string[],
  option = '--face',
  max: number = maxPictures,
): [string, ...string[]] {
  const [first, ...more] = values
  if (first === undefined || values.includes('')) throw usage(m.cli_missing({ option }))
  if (values.length > max) throw usage(m.cli_pictures_max({ option, max }))
  return [first, ...more]
}

/** For a part without an end; later than any video ends. */
const endMs = Number.MAX_SAFE_INTEGER

/** @throws MienError `usage` */
function timeOf(text: string): number {
  const ms = readTime(text)
  if (ms === null) throw usage(m.cli_time({ text }))
  return ms
}

/** `--range`, `A-B` each, and its three other options. */
type RangeOptions = { ranges: readonly string[] } & Record<'from' | 'to' | 'rest', string | null>

/** Null: the whole video. A part without an end goes to the end of any video. @throws MienError `usage`, `range-invalid` */
export function readRange({ ranges, from, to, rest }: RangeOptions): Range | null {
  if (rest !== null && rest !== 'keep' && rest !== 'drop')
    throw usage(m.cli_choice({ option: '--rest', one: 'keep', other: 'drop' }))
  const isOne = from !== null || to !== null
  if (isOne && ranges.length > 0) throw usage(m.cli_range_or_from())
  if (!isOne && ranges.length === 0) {
    if (rest !== null) throw usage(m.cli_rest_alone())
    return null
  }
  const parts = ranges.map((text) => {
    const [start, end, more] = text.split('-')
    if (start === undefined || end === undefined || more !== undefined) throw usage(m.cli_range({ text }))
    return { fromMs: timeOf(start), toMs: timeOf(end) }
  })
  if (isOne) parts.push({ fromMs: from === null ? 0 : timeOf(from), toMs: to === null ? endMs : timeOf(to) })
  const range: Range = { parts, rest: rest ?? 'drop' }
  const problem = rangeProblem(range, null)
  if (problem !== null) throw new MienError('range-invalid', { reason: problem })
  return range
}

/** Gives a part without an end the end of the video. @param durationMs null: unknown */
export const within = (range: Range | null, durationMs: number | null): Range | null =>
  range && {
    ...range,
    parts: range.parts.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs === endMs ? (durationMs ?? endMs) : toMs })),
  }
