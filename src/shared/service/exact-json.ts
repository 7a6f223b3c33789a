/**
 * @file JSON without losing digits. `JSON.parse` alone turns 18446744073709551615 into 18446744073709552000, but the
 * services' ids are unsigned 64-bit. Integers that a number can't hold exactly become bigints.
 */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json }
export type JsonObject = Record<string, Json>

/** What TypeScript's library lacks (V8 11.4; Node 22, Chromium 114 and later). `source`: text of a primitive value. */
interface ExactParser {
  parse: (text: string, revive: (name: string, value: Json, context: { source?: string }) => Json) => Json
  rawJSON: (text: string) => unknown
}
const exact = JSON as unknown as ExactParser

/** The API's integers have at most 20 digits. Longer ones become inexact numbers: a huge bigint takes long to parse. */
const integer = /^-?\d{1,40}$/

const revive = (_name: string, value: Json, { source = '' }: { source?: string }): Json =>
  typeof value === 'number' && !Number.isSafeInteger(value) && integer.test(source) ? BigInt(source) : value

const isDeeper = (value: Json, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((each) => isDeeper(each, depth - 1)))

/**
 * `maxDepth`: so that a hostile text can't overflow the stack of whatever uses the value.
 * @throws SyntaxError for text that isn't JSON or is nested deeper
 */
export function parseExactJson(text: string, maxDepth = 100): Json {
  try {
    const value = exact.parse(text.replace(/^\ufeff/, ''), revive)
    if (!isDeeper(value, maxDepth)) return value
  } catch (error) {
    // The parser ran out of stack.
    if (!(error instanceof RangeError)) throw error
  }
  throw new SyntaxError(`JSON nested deeper than ${String(maxDepth)}`)
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Writes JSON text. A bigint becomes an integer with all its digits. */
export const writeExactJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? exact.rawJSON(part.toString()) : part))
