/** @file The log of servers and workers: lines on stderr, without secrets. */
import { inspect } from 'node:util'
import { redact } from '../../machine/log/redact.ts'
import { jsonLine } from '../output/output-lines.ts'

export type ServerLog = (message: string, error?: unknown) => void

/** @param json one JSON object per line; otherwise text */
export const serverLog =
  (json: boolean): ServerLog =>
  (message, error) => {
    const time = new Date().toISOString()
    const level = error === undefined ? 'info' : 'warn'
    const text = redact(error === undefined ? message : `${message}: ${inspect(error, { depth: 3 })}`)
    process.stderr.write(json ? jsonLine({ time, level, message: text }) : `${time} ${level} ${text}\n`)
  }
