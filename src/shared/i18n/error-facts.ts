/** @file Reads an error's details for its sentences. */
import type { ErrorDetails } from '../errors.ts'
import { formatCount, formatDate } from './format.ts'
import { m } from './paraglide/messages.js'

export interface ErrorText {
  /** What happened, without a full stop. */
  title: string
  /** Why, and what to do. Whole sentences. */
  body: string
}

/** Details for sentences; null for missing or blank text and for numbers that aren't finite. */
export class Facts {
  readonly #details: ErrorDetails
  constructor(details: ErrorDetails) {
    this.#details = details
  }
  text(key: string): string | null {
    const value = this.#details[key]
    if (typeof value === 'number' && Number.isFinite(value)) return formatCount(value)
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  }
  number(key: string): number | null {
    const value = this.#details[key]
    return typeof value === 'number' && Number.isFinite(value) ? value : null
  }
  /** The file's name. */
  get name(): string | null {
    return this.text('name')
  }
  get host(): string | null {
    return this.text('host')
  }
  /** The day of an ISO date. */
  get date(): string | null {
    const at = Date.parse(this.text('date') ?? '')
    return Number.isNaN(at) ? null : formatDate(at)
  }
  get seconds(): string | null {
    return this.text('seconds')
  }
  get message(): string | null {
    const message = this.text('message') ?? this.text('reason')
    return message === null ? null : message.length > 200 ? `${message.slice(0, 200)}…` : message.replace(/\.$/, '')
  }
  /** The service's name, or "The service". Use it only at the start of a sentence. */
  get service(): string {
    return this.text('service') ?? m.the_service()
  }
  get folder(): string | null {
    return this.text('folder') ?? this.text('folderName')
  }
}

export const named = (f: Facts, plain: () => string, withName: (inputs: { name: string }) => string): string =>
  f.name === null ? plain() : withName({ name: f.name })

export function withText(value: string | null, without: () => string, withIt: (value: string) => string): string {
  return value === null ? without() : withIt(value)
}
