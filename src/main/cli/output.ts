/** @file What a command of the library says on stdout. */
import { jsonLine } from './format.ts'

/** One JSON object, or the line for people. */
export function print(json: boolean, value: object, line: string): void {
  process.stdout.write(json ? jsonLine(value) : `${line}\n`)
}
