/** @file Arguments of `mien mend`. Pure. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { usage } from '@shared/mien-error.ts'
import type { VideoPart } from '@shared/people/people.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import {
  givenOptions,
  readCast,
  readConsent,
  readPictures,
  readRange,
  type ConsentArgs,
  type FaceArgs,
} from './swap-args.ts'
import type { Read } from './read-args.ts'

/** What is done to a finished swap; a part is in the time of its result. */
export type Mending =
  | { kind: 'version'; number: number | 'before' }
  | { kind: 'leave'; part: VideoPart }
  | {
      kind: 'swap'
      part: VideoPart
      /** Those who get another face; `personId` null: the only person. */
      faces: FaceArgs[]
      /** Those who keep their own face. */
      stay: string[]
      /** The others are as the swap was made. */
      options: Partial<SwapOptions>
      /** Name of a model; null: as the swap was made. */
      method: string | null
      consent: ConsentArgs
    }

/** Options that say how a part is swapped. */
const howNames = ['face', 'cast', 'stay', 'likeness', 'keep', 'method'] as const
export const mendOptions = {
  options: ['from', 'to', 'likeness', 'keep', 'method', 'version'],
  repeated: ['face', 'cast', 'stay'],
  flags: ['leave', 'undo'],
}

/** Null: the weak parts are listed. @throws MienError `usage`, `range-invalid` */
export function readMending(read: Read): Mending | null {
  const { text, all, given, path } = read
  const isThere = (name: string): boolean => text(name) !== null || all(name).length > 0 || given(name)
  const version = text('version')
  const isVersion = version !== null || given('undo')
  const hasPart = isThere('from') || isThere('to')
  const how = howNames.filter(isThere)
  if (isVersion && (hasPart || how.length > 0 || given('leave') || (version !== null && given('undo'))))
    throw usage(m.cli_mend_alone())
  if (version !== null && !/^[1-9]\d{0,5}$/.test(version)) throw usage(m.cli_whole_number({ option: '--version' }))
  if (isVersion) return { kind: 'version', number: version === null ? 'before' : Number(version) }
  const range = readRange({ ranges: [], from: text('from'), to: text('to'), rest: null })
  const [part] = range?.parts ?? []
  if (!part) {
    if (given('leave') || how.length > 0) throw usage(m.cli_mend_part())
    return null
  }
  if (given('leave')) {
    if (how.length > 0) throw usage(m.cli_mend_leave({ options: how.map((name) => `--${name}`).join(', ') }))
    return { kind: 'leave', part }
  }
  const face = all('face')
  const cast = all('cast')
  if (face.length > 0 && cast.length > 0) throw usage(m.cli_face_or_cast())
  const faces: FaceArgs[] =
    face.length > 0 ? [{ personId: null, pictures: readPictures(face, '--face', 1) }] : readCast(cast, 1)
  return {
    ...{ kind: 'swap', part, stay: all('stay'), options: givenOptions(text), method: text('method') },
    faces: faces.map(({ personId, pictures }) => ({ personId, pictures: [path(pictures[0])] })),
    consent: readConsent(read),
  }
}
