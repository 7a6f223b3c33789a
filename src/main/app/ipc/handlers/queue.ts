/** @file IPC handlers for what happens at the end of the queue. */
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

export const queueHandlers = ({ allDone }: HandlerDeps): GroupHandlers<'queue'> => ({
  whenDone: () => allDone.view,
  chooseWhenDone: ({ action }) => allDone.choose(action),
  cancelSleep: () => allDone.cancelSleep(),
})
