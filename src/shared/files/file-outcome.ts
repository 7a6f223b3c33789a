/** @file What became of the files of many swaps. */
import type { ErrorBody } from '../errors.ts'

export interface FileOutcome {
  /** Number of files saved or swaps removed. */
  done: number
  /** The first of those that failed, and the number of all. */
  failed: { title: string; error: ErrorBody }[]
  failedCount: number
  /** Number of selected swaps that have no file, because they are not finished. */
  unfinished: number
  /** Number of files that were not tried, because the user stopped or because of `problem`. */
  left: number
  /** Why no further file could be written; null: nothing. */
  problem: ErrorBody | null
  /** Display name of the folder; null if there is none. */
  folder: string | null
}

/** `done` of `count` files; `share` of all bytes, 0–1. */
export interface FileProgress {
  done: number
  count: number
  share: number
}

/** A small picture: RGBA, without padding. */
export interface DragIcon {
  width: number
  height: number
  pixels: Uint8Array
}

/** Failures that are listed. */
export const maxListedFailures = 200
