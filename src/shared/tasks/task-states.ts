/** @file The states of a swap. The schemas are in task.ts, because they would bring zod into the studio. */

export const taskStates = [
  'queued',
  'uploading',
  'submitting',
  'unconfirmed',
  'waiting',
  'processing',
  'succeeded',
  'kept',
  'failed',
  'cancelled',
  'missing',
] as const
export type TaskState = (typeof taskStates)[number]

/** States that continue without the user. */
export const activeStates: readonly TaskState[] = [
  'queued',
  'uploading',
  'submitting',
  'waiting',
  'processing',
  'succeeded',
]

export const isActive = (state: TaskState): boolean => activeStates.includes(state)

/** `service`: the user paused the service, or its certificate has changed. `disk-full`: this computer's disk; Mien tries again by itself. */
export const pauseReasons = ['no-network', 'disk-full', 'limit', 'key', 'user', 'service'] as const
export type PauseReason = (typeof pauseReasons)[number]

/** Whether a paused swap waits for something that only the user can do. */
export const waitsForUser = (pause: PauseReason | null): boolean =>
  pause === 'key' || pause === 'disk-full' || pause === 'limit'

/** Files of a swap on this computer are only copied, so its upload isn't shown: it looks queued. */
export const isCopied = ({ state, profileId }: { state: TaskState; profileId: string }): boolean =>
  profileId === embeddedProfileId && (state === 'uploading' || state === 'submitting')

/** The profile of the embedded service. It always exists and cannot be removed. */
export const embeddedProfileId = 'this-computer'
