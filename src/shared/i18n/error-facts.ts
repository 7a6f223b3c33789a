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
  is(key: string): boolean {
    return this.#details[key] === true
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

/** A text with all its values, or the plain one if one of them is missing. */
export function filled<K extends string>(
  plain: () => string,
  whole: (values: Record<K, string>) => string,
  values: Record<K, string | null>,
): string {
  // Safe: `whole` is only called without nulls.
  return Object.values(values).includes(null) ? plain() : whole(values as Record<K, string>)
}

type Named = (inputs: { name: string }) => string
export const named = (f: Facts, plain: () => string, withName: Named): string =>
  filled(plain, withName, { name: f.name })

/** The text for a reason, or the one for any other. */
export const byReason = (
  reason: string | null,
  texts: Readonly<Record<string, () => string>>,
  other: () => string,
): string => ((reason !== null && Object.hasOwn(texts, reason) && texts[reason]) || other)()

type OfError = (f: Facts) => ErrorText

/** Names the file, if it is known. */
export const ofFile =
  (plain: () => string, withName: Named, body: () => string): OfError =>
  (f) => ({ title: named(f, plain, withName), body: body() })

/** Names the service. */
export const ofService =
  (title: (inputs: { service: string }) => string, body: () => string): OfError =>
  (f) => ({ title: title({ service: f.service }), body: body() })

/** Has what was said about it, if anything was. */
export const quoting =
  (title: () => string, plain: () => string, said: (inputs: { message: string }) => string): OfError =>
  (f) => ({ title: title(), body: filled(plain, said, { message: f.message }) })

/** Says why, by its detail `reason`. */
export const because =
  (title: () => string, reasons: Parameters<typeof byReason>[1], other: () => string): OfError =>
  (f) => ({ title: title(), body: byReason(f.text('reason'), reasons, other) })
