/** @file The log: rotating files in the data folder (electron-log), with secrets removed from each line. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import electronLog from 'electron-log/main.js'
import { privateMode } from '../disk/data-folder.ts'
import { redact } from './redact.ts'

export interface Logger {
  info: (message: string) => void
  warn: (message: string, error?: unknown) => void
}

/** Where a service logs what went wrong: `Logger.warn`. */
export type Log = Logger['warn']

/** Starts logging to `dir/logs/mien.log` (1 MB, one older file kept). `quiet`: no console output. */
export function openLog(dir: string, quiet: boolean): Logger {
  try {
    // The data folder may be new.
    mkdirSync(join(dir, 'logs'), { recursive: true, mode: privateMode })
  } catch {
    // Other code that needs the folder reports the error.
  }
  electronLog.transports.file.resolvePathFn = () => join(dir, 'logs', 'mien.log')
  electronLog.transports.file.maxSize = 1024 * 1024
  electronLog.transports.console.level = quiet ? false : 'warn'
  return {
    info: (message) => electronLog.info(redact(message)),
    warn: (message, error) =>
      electronLog.warn(redact(message + (error === undefined ? '' : `: ${inspect(error, { depth: 3 })}`))),
  }
}
