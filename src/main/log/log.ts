/** @file The log: rotating files in the data folder (electron-log); secrets are taken out before a line is written. */
import { join } from 'node:path'
import electronLog from 'electron-log/main.js'
import { redact } from './redact.ts'

export interface Logger {
  info: (message: string) => void
  warn: (message: string, error?: unknown) => void
}

/** Starts logging to `dir/logs/mien.log` (1 MB, one older file kept). `quiet`: nothing on the console. */
export function openLog(dir: string, quiet: boolean): Logger {
  electronLog.transports.file.resolvePathFn = () => join(dir, 'logs', 'mien.log')
  electronLog.transports.file.maxSize = 1024 * 1024
  electronLog.transports.console.level = quiet ? false : 'warn'
  return {
    info: (message) => {
      electronLog.info(redact(message))
    },
    warn: (message, error) => {
      const detail =
        error instanceof Error
          ? `: ${error.stack ?? error.message}${causeOf(error)}`
          : error === undefined
            ? ''
            : `: ${String(error)}`
      electronLog.warn(redact(message + detail))
    },
  }
}

const causeOf = (error: Error): string =>
  error.cause instanceof Error
    ? ` (because: ${error.cause.message})`
    : error.cause === undefined
      ? ''
      : ' (with a cause)'
