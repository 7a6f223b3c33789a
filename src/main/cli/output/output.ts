/** @file Output of library commands on stdout. */
import { jsonLine } from './output-lines.ts'

/** Prints a JSON object or the text line. */
export function print(json: boolean, value: object, line: string): void {
  process.stdout.write(json ? jsonLine(value) : `${line}\n`)
}
