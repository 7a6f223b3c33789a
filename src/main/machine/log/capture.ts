/** @file Logs unexpected errors: uncaught errors, unhandled rejections, crashed processes. */
import { app } from 'electron'
import type { Logger } from './log.ts'

/**
 * Call once, before anything can fail. Mien keeps running: important data is on disk, and each request reports its
 * errors.
 * @param onUncaught called after an uncaught error was logged; without it Electron would show a dialog
 */
export function captureErrors(log: Logger, onUncaught: () => void): void {
  process.on('uncaughtException', (error) => {
    log.warn('An uncaught error', error)
    onUncaught()
  })
  process.on('unhandledRejection', (reason) => log.warn('An unhandled rejection', reason))
  app.on('child-process-gone', (_event, { type, reason, exitCode, serviceName, name }) => {
    if (reason === 'clean-exit') return
    log.warn(`a process is gone: ${name ?? serviceName ?? type}, ${reason} (${String(exitCode)})`)
  })
}
