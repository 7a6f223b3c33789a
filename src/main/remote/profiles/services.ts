/** @file The services as swaps see them. */
import type { ErrorCode } from '@shared/mien-error.ts'
import type { Profiles } from './profiles.ts'

export type KeyProblem = 'key-refused' | 'key-missing'

export const isKeyProblem = (code: ErrorCode): code is KeyProblem => code === 'key-refused' || code === 'key-missing'

/** The services by profile id. */
export type Services = Pick<
  Profiles,
  | 'batchLimit'
  | 'certificateChanged'
  | 'client'
  | 'inFlightLimit'
  | 'isLocal'
  | 'isPaused'
  | 'keyRefused'
  | 'rememberBatchLimit'
>
