/** @file A service that swaps can run on, as the app and the studio see it. The key is never in here. */
import { z } from 'zod'

/** Refuses what can never work, with the field named, before anything is stored. */
export const profileInputSchema = z.object({
  /** Absent: a new one. */
  id: z.string().max(64).optional(),
  name: z.string().trim().min(1).max(80),
  /** http(s), may carry a path prefix; no credentials, query or fragment. */
  baseUrl: z.string().trim().min(1).max(2000),
  /** Name of the header that carries the key. */
  keyHeader: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .default('X-Service-Apikey'),
  durationUnit: z.enum(['ms', 's']).default('ms'),
  /** Whether plain http is allowed to a host that is not this computer. */
  allowHttp: z.boolean().default(false),
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
}

/** Where a key is kept; `refused` is set when the service last said no to it. */
export interface KeyStatus {
  kept: 'keychain' | 'session' | 'none'
  lastFour: string | null
  refused: boolean
}

export interface ProfileView extends Profile {
  embedded: boolean
  key: KeyStatus
}
