/**
 * @file The log: rotating files in the data folder (electron-log), and one place where secrets are
 * taken out before a line is written.
 */
import { join } from 'node:path'
import electronLog from 'electron-log/main.js'

/** Home paths, queries of addresses, and header values that look like keys. */
const secrets: readonly [RegExp, string][] = [
  [/((?:apikey|api-key|authorization|x-admin-token|sk)["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, '$1…'],
  [/(https?:\/\/[^\s?"']+)\?[^\s"']*/gi, '$1?…'],
  [/(?:\/home\/|\/Users\/|[A-Z]:\\Users\\)[^/\\\s"']+/g, '~'],
]

/** A line without what must not be kept. Pure. */
export const redact = (line: string): string =>
  secrets.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)

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
