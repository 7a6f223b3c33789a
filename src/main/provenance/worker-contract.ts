/** @file What main asks the credentials worker. */
import type { Signer } from './cose.ts'

/** MIME types that can carry credentials here, by the common name of the file's type. */
export const signableTypes: Readonly<Record<string, string>> = {
  JPEG: 'image/jpeg',
  PNG: 'image/png',
  WebP: 'image/webp',
  MP4: 'video/mp4',
}

/** Types whose credentials can be read. */
export const readableTypes: Readonly<Record<string, string>> = {
  ...signableTypes,
  GIF: 'image/gif',
  TIFF: 'image/tiff',
  HEIC: 'image/heic',
  AVIF: 'image/avif',
  SVG: 'image/svg+xml',
  'JPEG XL': 'image/jxl',
  QuickTime: 'video/quicktime',
  AVI: 'video/avi',
}

/** A file that was used: `json` is C2PA's ingredient, without what is read from the file. */
export interface UsedFile {
  /** Null: the file isn't there, or its type can't be read. */
  path: string | null
  type: string
  json: Record<string, unknown>
}

export interface SignJob {
  kind: 'sign'
  source: string
  /** A new file. It is whole and on disk when the job is done. */
  target: string
  type: string
  /** C2PA's manifest definition. */
  definition: Record<string, unknown>
  parent: UsedFile
  /** More used files: faces. */
  inputs: readonly Record<string, unknown>[]
  signer: Signer
}

export interface ReadJob {
  kind: 'read'
  path: string
  type: string
  /** Certificates of authorities that are known, in PEM. */
  known: string
}

export interface HashJob {
  kind: 'hash'
  path: string
}

export type Job = SignJob | ReadJob | HashJob

export interface Results {
  /** `parentBroken`: the parent's credentials couldn't be taken over. */
  sign: { parentBroken: boolean; bytesAdded: number }
  /** C2PA's report as JSON; null: the file has no credentials. `broken`: they can't be read. */
  read: { report: string | null; broken: boolean }
  /** SHA-256 in hex. */
  hash: string
}

/** To the one job that runs. */
export type Answer =
  { result: Results[keyof Results] } | { failure: { name: string; message: string; code: string | null } }
