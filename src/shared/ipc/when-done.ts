/** @file What happens when all swaps are finished. Chosen for this run of Mien only. */
export const doneActions = ['nothing', 'notify', 'sleep'] as const
export type DoneAction = (typeof doneActions)[number]

export interface WhenDone {
  action: DoneAction
  /** Whether Mien can put this computer to sleep. */
  canSleep: boolean
  /** Epoch ms at which the computer goes to sleep; null: it doesn't. */
  sleepsAt: number | null
}
