/** @file Consents: who said that a face may be used. Without zod, for the studio's first bundle. */
import { MienError } from '../mien-error.ts'
import type { FaceMedia } from './task.ts'

type Asked = Pick<FaceMedia, 'confirmedAt' | 'origin'>

/** True if the user confirmed it or the face comes with Mien. */
export const mayUseFace = ({ confirmedAt, origin }: Asked): boolean => confirmedAt !== null || origin === 'sample'

/** @throws MienError `consent-withdrawn`, `forbidden` (not confirmed) */
export function checkFace(face: Asked & Pick<FaceMedia, 'name' | 'withdrawnAt'>): void {
  if (mayUseFace(face)) return
  throw new MienError(face.withdrawnAt == null ? 'forbidden' : 'consent-withdrawn', { name: face.name })
}

/** What is written down with a consent. Empty: nothing. */
export interface ConsentDetails {
  /** Who said that the face may be used. */
  by: string
  purpose: string
  note: string
}

/** Longest texts, in characters. */
export const maxConsentText = { by: 200, purpose: 500, note: 5000 } as const satisfies Record<
  keyof ConsentDetails,
  number
>

/** Control characters but line breaks, and characters that change the direction of text. */
const unwanted = /[^\P{Cc}\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** A text with a space for each character that is not to be shown; of several lines. */
export const plainText = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(unwanted, ' ').trim()

/** Checks the texts that are given. @throws MienError `consent-invalid` (field, max) */
export function readDetails(given: Partial<ConsentDetails>): Partial<ConsentDetails> {
  const entries = (['by', 'purpose', 'note'] as const).flatMap((field) => {
    const text = given[field]
    if (text === undefined) return []
    const plain = field === 'note' ? plainText(text) : plainText(text).replaceAll(/\s+/g, ' ')
    const max = maxConsentText[field]
    if (plain.length > max) throw new MienError('consent-invalid', { field, max })
    return [[field, plain]]
  })
  return Object.fromEntries(entries) as Partial<ConsentDetails> // `fromEntries` loses the names
}

/** Largest release, in bytes. */
export const maxReleaseBytes = 500_000_000

/** A signed release: a file of any kind, of which Mien has a copy. */
export interface Release {
  sha256: string
  name: string
  sizeBytes: number
}

/** A file that may become a release; `token` names it in later calls. */
export interface ReleaseChoice {
  token: string
  name: string
  sizeBytes: number
}

export interface ConsentView extends ConsentDetails {
  /** SHA-256 of the picture's content, or of its address if it was never opened. */
  face: string
  /** Name of the picture's file. */
  name: string
  /** `sample`: comes with Mien, needs no consent. */
  origin: FaceMedia['origin']
  /** When it was given, and when it was withdrawn, epoch ms. */
  at: number
  withdrawnAt: number | null
  /** `state`: of the copy in the data folder, by its size. */
  release: (Release & { state: 'ready' | 'changed' | 'missing' }) | null
  /** Media id of a small picture; null if there is none any more. */
  pictureId: string | null
  /** Number of swaps in the library with the face. */
  swaps: number
}

/** Formats of an export. */
export const consentFormats = ['json', 'pdf'] as const
export type ConsentFormat = (typeof consentFormats)[number]
