/**
 * @file Parses JSON without losing digits. `JSON.parse` turns 18446744073709551615 into 18446744073709552000, but the
 * services' ids are unsigned 64-bit. Integers that a number can't hold exactly become bigints. Each object's source
 * text is available unchanged. The depth is limited, so that a hostile response causes a SyntaxError instead of a stack
 * overflow.
 */
export type Json = null | boolean | number | bigint | string | Json[] | { [name: string]: Json }
export type JsonObject = Record<string, Json>

export interface ExactJson {
  value: Json
  /** An object's source text, unchanged. */
  rawOf: (object: JsonObject) => string
}

const defaultDepth = 100
const space = /[ \t\n\r]*/y
const plain = /[^"\\\u0000-\u001f]*/y
const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
const hex4 = /[0-9a-fA-F]{4}/y
const escapes: Record<string, string> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
/** Maximum length of a bigint. The API's integers have at most 20 digits; longer ones become inexact numbers. */
const maxIntegerDigits = 40

class Reader {
  readonly spans = new Map<JsonObject, [number, number]>()
  private at = 0

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
  ) {}

  whole(): Json {
    if (this.text.charCodeAt(0) === 0xfeff) this.at = 1
    const value = this.value(0)
    this.skip()
    if (this.at < this.text.length) this.fail()
    return value
  }

  private fail(): never {
    throw new SyntaxError(`Unreadable JSON at ${this.at}`)
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found) this.at = pattern.lastIndex
    return found
  }

  private skip(): void {
    this.match(space)
  }

  private take(char: string): boolean {
    this.skip()
    if (this.text[this.at] !== char) return false
    this.at++
    return true
  }

  private value(depth: number): Json {
    if (depth > this.maxDepth) this.fail()
    this.skip()
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth)
      case '[':
        return this.array(depth)
      case '"':
        return this.string()
      case 't':
        return this.word('true', true)
      case 'f':
        return this.word('false', false)
      case 'n':
        return this.word('null', null)
      default:
        return this.number()
    }
  }

  private word<T extends Json>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail()
    this.at += word.length
    return value
  }

  private number(): number | bigint {
    const found = this.match(number)
    if (!found) this.fail()
    const [digits, fraction, exponent] = found
    const value = Number(digits)
    if (fraction !== undefined || exponent !== undefined || Number.isSafeInteger(value)) return value
    return digits.length <= maxIntegerDigits ? BigInt(digits) : value
  }

  private string(): string {
    this.at++
    let text = ''
    for (;;) {
      text += this.match(plain)?.[0] ?? ''
      const char = this.text[this.at++]
      if (char === '"') return text
      if (char !== '\\') this.fail()
      const escape = this.text[this.at++] ?? ''
      if (escape === 'u') {
        const code = this.match(hex4)
        if (!code) this.fail()
        text += String.fromCharCode(parseInt(code[0], 16))
      } else text += escapes[escape] ?? this.fail()
    }
  }

  private array(depth: number): Json[] {
    const list: Json[] = []
    this.at++
    if (this.take(']')) return list
    do list.push(this.value(depth + 1))
    while (this.take(','))
    if (!this.take(']')) this.fail()
    return list
  }

  private object(depth: number): JsonObject {
    const start = this.at
    const pairs: JsonObject = {}
    this.at++
    if (!this.take('}')) {
      do {
        this.skip()
        if (this.text[this.at] !== '"') this.fail()
        const name = this.string()
        if (!this.take(':')) this.fail()
        const value = this.value(depth + 1)
        // Assigning this name would change the object's prototype.
        if (name === '__proto__')
          Object.defineProperty(pairs, name, { value, enumerable: true, configurable: true, writable: true })
        else pairs[name] = value
      } while (this.take(','))
      if (!this.take('}')) this.fail()
    }
    this.spans.set(pairs, [start, this.at])
    return pairs
  }
}

/** @throws SyntaxError for text that isn't JSON or is nested deeper than `maxDepth` */
export function parseExactJson(text: string, maxDepth = defaultDepth): ExactJson {
  const reader = new Reader(text, maxDepth)
  const value = reader.whole()
  return {
    value,
    rawOf: (object) => {
      const span = reader.spans.get(object)
      return span ? text.slice(span[0], span[1]) : writeExactJson(object)
    },
  }
}

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Writes JSON text. A bigint becomes an integer with all its digits. */
export function writeExactJson(value: unknown): string {
  // TypeScript's library lacks JSON.rawJSON (V8 11.4; Node 22, Chromium 114 and later).
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown }
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? rawJSON(part.toString()) : part))
}
