/** @file A service that runs swaps, as main and the studio share it. Never contains the key. */
import { z } from 'zod'
import { errorBodySchema } from '../errors.ts'
import type { StatusMeaning } from './status-words.ts'

const headerName = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9-]{1,64}$/)

/** `sha256/<base64>` of a certificate's DER. */
export const fingerprintSchema = z.string().regex(/^sha256\/[A-Za-z0-9+/]{43}=$/)

/** Rejects values that can never work before they are stored; the error names the field. */
export const profileInputSchema = z.object({
  /** Absent: creates a profile. */
  id: z.string().max(64).optional(),
  name: z.string().trim().min(1).max(80),
  /** http(s), may carry a path prefix; no credentials, query or fragment. */
  baseUrl: z.string().trim().min(1).max(2000),
  /** Name of the header with the key. */
  keyHeader: headerName.default('X-Service-Apikey'),
  durationUnit: z.enum(['ms', 's']).default('ms'),
  /** Allow plain http to hosts other than this computer. */
  allowHttp: z.boolean().default(false),
  /** Maximum number of ids per request; null: 50. Absent: unchanged, as for the fields below. */
  idsPerCall: z.int().min(1).max(10_000).nullable().optional(),
  /** Maximum number of swaps at the service at the same time; null: no limit. */
  inFlight: z.int().min(1).max(10_000).nullable().optional(),
  /** Name of the header for key operations; its value is stored in the keychain. Null: none. */
  adminHeader: headerName.nullable().optional(),
  /** Of the only certificate to accept, whoever signed it; null: any that this computer trusts. */
  fingerprint: fingerprintSchema.nullable().optional(),
})
export type ProfileInput = z.input<typeof profileInputSchema>

/** A server that answered a search in the local network. Anybody can answer: only the user can tell whose it is. */
export const foundServerSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  /** https with an IP address */
  baseUrl: z.url({ protocol: /^https$/ }).max(200),
  fingerprint: fingerprintSchema,
})
export type FoundServer = z.output<typeof foundServerSchema>

/** A service as the settings and the policy store it. */
export const storedProfileSchema = z.object({
  id: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  keyHeader: z.string(),
  durationUnit: z.enum(['ms', 's']),
  allowHttp: z.boolean(),
  idsPerCall: z.int().positive().nullable().catch(null).default(null),
  inFlight: z.int().positive().nullable().catch(null).default(null),
  adminHeader: z.string().nullable().catch(null).default(null),
  /** As in `profileInputSchema`. Without `catch`: a damaged one must not turn into none. */
  fingerprint: fingerprintSchema.nullable().default(null),
})
export type StoredProfile = z.infer<typeof storedProfileSchema>

/** `baseUrl` null: the embedded service, whose address changes at each start. */
export type Profile = Omit<StoredProfile, 'baseUrl'> & {
  baseUrl: string | null
  /** Meanings of this service's status words, by `wordKey`. */
  words: Record<string, StatusMeaning>
}

/** Where a key is stored. `refused`: the service rejected it last time. */
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

/** A key as the service lists it, without its secret part. `row` identifies it in `keys.revoke`. */
export interface ServiceKeyView {
  row: string
  /** The service's id for it, if any. */
  id: string | null
  /** The masked key; shows at most its last four characters. */
  masked: string
  /** True for the key in use. */
  active: boolean
}

export interface ProfileView extends Profile {
  embedded: boolean
  /** Fixed for this computer: only its key can be changed. */
  locked?: true
  key: KeyStatus
  /** All keys of this service; `key` is about the active one. */
  keys: KeyView[]
  /** True if a value of the admin header is stored. */
  adminKept: boolean
  /** The user whose keys were listed last; a 64-bit integer. */
  userId: string | null
  /** Nothing is sent to this service: the user paused it, or its certificate has changed. */
  paused: boolean
  certificateChanged: boolean
  /** Result of the last connection test with the active key; null: not tested. */
  tested: ConnectionTested | null
  /** A connection test is running. */
  isTesting: boolean
}

/** Result of "Test connection". */
export const connectionReportSchema = z.object({
  reached: z.boolean(),
  /** `none`: plain http. Null: not tested, because an earlier step failed. */
  tls: z.enum(['good', 'bad', 'none']).nullable(),
  /** The path variant that responded. */
  path: z.string().nullable(),
  keyAccepted: z.boolean().nullable(),
  /** How far the service's clock is ahead of this computer's; null if it doesn't report its time. */
  clockSkewMs: z.number().nullable(),
  ms: z.number(),
  error: errorBodySchema.nullable(),
})
export type ConnectionReport = z.infer<typeof connectionReportSchema>

/** A connection test; `at` in epoch ms. */
export const connectionTestedSchema = z.object({ at: z.number(), report: connectionReportSchema })
export type ConnectionTested = z.infer<typeof connectionTestedSchema>
