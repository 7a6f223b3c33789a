/** @file IPC handlers for what happens at the end of the queue. */
import type { AllDone } from '../../../machine/system/all-done.ts'
import type { GroupHandlers } from '../register.ts'

export const queueHandlers = (allDone: AllDone): GroupHandlers<'queue'> => ({
  whenDone: () => allDone.view,
  chooseWhenDone: ({ action }) => {
    allDone.choose(action)
  },
  cancelSleep: () => {
    allDone.cancelSleep()
  },
})
