/** @file A service that swaps can run on, as the app and the studio see it. The key is never in here. */
import { z } from 'zod'
import type { StatusMeaning } from './status-words.ts'

const headerName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9-]{1,64}$/)

/** Refuses what can never work, with the field named, before anything is stored. */
export const profileInputSchema = z.object({
  /** Absent: a new one. */
  id: z.string().max(64).optional(),
  name: z.string().trim().min(1).max(80),
  /** http(s), may carry a path prefix; no credentials, query or fragment. */
  baseUrl: z.string().trim().min(1).max(2000),
  /** Name of the header that carries the key. */
  keyHeader: headerName.default('X-Service-Apikey'),
  durationUnit: z.enum(['ms', 's']).default('ms'),
  /** Whether plain http is allowed to a host that is not this computer. */
  allowHttp: z.boolean().default(false),
  /** Most ids in one request; null: 50. Absent fields keep what they were. */
  idsPerCall: z.int().min(1).max(10_000).nullable().optional(),
  /** Most swaps that are with the service at once; null: no limit. */
  inFlight: z.int().min(1).max(10_000).nullable().optional(),
  /** Name of the header for key operations; its value is kept in the keychain. Null: none. */
  adminHeader: headerName.nullable().optional(),
})
export type ProfileInput = z.input<typeof profileInputSchema>

export interface Profile {
  id: string
  name: string
  /** Null for the embedded service: its address is new at each start. */
  baseUrl: string | null
  keyHeader: string
  durationUnit: 'ms' | 's'
  allowHttp: boolean
  idsPerCall: number | null
  inFlight: number | null
  /** What words of this service mean, by the word as `wordKey` writes it. */
  words: Record<string, StatusMeaning>
  adminHeader: string | null
}

/** Where a key is kept; `refused` is set when the service last said no to it. */
export interface KeyStatus {
  kept: 'keychain' | 'session' | 'none'
  lastFour: string | null
  refused: boolean
}

/** One of a service's keys. */
export interface KeyView {
  id: string
  lastFour: string | null
  kept: 'keychain' | 'session'
  active: boolean
}

/** A key as the service lists it, without its secret part. `row` names it in `keys.revoke`. */
export interface ServiceKeyView {
  row: string
  /** What the service calls it, if it does. */
  id: string | null
  /** Never the whole key: at most its last four characters are legible. */
  masked: string
  /** Whether it is the one that is used now. */
  active: boolean
}

export interface ProfileView extends Profile {
  embedded: boolean
  /** Set up for this computer: only its key can be changed. */
  locked?: true
  key: KeyStatus
  /** All keys of this service; `key` is about the active one. */
  keys: KeyView[]
  /** Whether the value of the admin header is kept. */
  adminKept: boolean
  /** The user that keys were listed for last; a 64-bit integer. */
  userId: string | null
  /** Its queue is held by the user: nothing is sent. */
  paused: boolean
}
