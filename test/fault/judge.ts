/** @file What a case came to, from what the service knows and what Mien says. Pure. */
import type { Row } from './driver.ts'

export interface Facts {
  /** States that a swap of this case may end in. */
  mayEnd: readonly string[]
  row: Row | undefined
  /** Creates of this title that were not clearly refused. */
  creates: number
  /** The service's id of what it made for this title. */
  madeIds: readonly string[]
  /** Whether the file that was kept is the service's, byte for byte but for its credentials; null: none was kept. */
  fileIsWhole: boolean | null
}

export interface Verdict {
  lost: boolean
  doubled: boolean
  wrongDone: boolean
}

/**
 * Lost: gone from the library, stuck, ended otherwise than the case allows, or ended by itself although the service
 * made something for it. Doubled: more than one create may have been taken. Wrong done: kept, and not the whole result.
 */
export function judge({ mayEnd, row, creates, madeIds, fileIsWhole }: Facts): Verdict {
  const wrongDone = row?.state === 'kept' && (fileIsWhole !== true || !madeIds.includes(row.objectId ?? ''))
  const orphan = row?.state !== 'kept' && row?.state !== 'unconfirmed' && madeIds.length > 0
  return {
    lost: row === undefined || !mayEnd.includes(row.state) || orphan,
    doubled: creates > 1,
    wrongDone,
  }
}
