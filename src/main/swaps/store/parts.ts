/** @file What the parts of TaskService share: each takes what it needs of it. */
import type { Measurement } from '@shared/engine/benchmark.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import type { Log } from '../../machine/log/log.ts'
import type { SystemStatus } from '../../machine/system/system-status.ts'
import type { MediaStore } from '../../media/media-store.ts'
import type { People } from '../../media/people/people-service.ts'
import type { ResultSigner } from '../../provenance/result-signer.ts'
import type { Profiles } from '../../remote/profiles/profiles.ts'
import type { Uploads } from '../../remote/uploads/uploads.ts'
import { paceMs, type Pace } from '../rules/backoff.ts'
import type { TaskBoard } from './task-board.ts'
import type { TaskStore } from './task-store.ts'

/** The services as swaps see them, by profile id. */
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

/** Where results are saved. */
export interface Destination {
  folder: string
  /** Display name of the folder. */
  folderName: string
  /** Requested file name, may be overwritten; null: made from the template, never overwrites a file. */
  fileName: string | null
  /** See name-template.ts. Defaults to the title. */
  template?: string
}

export interface Clock {
  /** Epoch ms, for stored times. */
  now: () => number
  /** Monotonic ms for intervals, because the system clock may change. */
  ticks: () => number
  /** 0–1, for the jitter of waits. */
  random: () => number
  /** Polling interval of a swap in ms. */
  paceMs: (pace: Pace) => number
}

export const systemClock: Clock = {
  ...{ now: () => Date.now(), ticks: () => performance.now(), random: () => Math.random() },
  paceMs,
}

export interface TaskServiceDeps {
  store: TaskStore
  services: Services
  media: MediaStore
  people: People
  /** Folder for a swap's files that aren't its result: cover, people, stills. */
  mediaDir: (taskId: string) => string
  destination: () => Destination
  systemStatus: SystemStatus
  /** Upload targets for services that only accept URLs; null: none. */
  uploads: Uploads | null
  signer: ResultSigner
  /** Names the label in the options of a swap on this computer. */
  labelled: (options: SwapOptions) => SwapOptions
  /** Measurement of this computer; null before one exists. */
  measured: () => Measurement | null
  log: Log
}

export interface Parts extends TaskServiceDeps {
  board: TaskBoard
  clock: Clock
}
