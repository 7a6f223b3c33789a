/** @file Runs a program of the system. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export type Run = (file: string, args: readonly string[]) => Promise<{ stdout: string }>

/** Rejects if the program fails or takes longer than ten seconds. */
export const run: Run = (file, args) => promisify(execFile)(file, args, { timeout: 10_000, windowsHide: true })
