/** @file Names of files and titles, made from a template such as `{title}, {face} {date}`. Pure. */
import { personFromName, titleFromName } from './title.ts'

/** What a template can contain, in braces. */
export const nameFields = ['title', 'face', 'target', 'person', 'date', 'time', 'n'] as const
export type NameField = (typeof nameFields)[number]

export const defaultFileName = '{title}'
export const defaultBatchTitles = '{target}, {face}'
/** Characters. */
export const maxTemplateLength = 200
/** Characters of a file name without its extension. Systems allow 255 bytes, and one character has up to three. */
const maxNameLength = 80

// Characters that Windows forbids in names, and control characters
// (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
const forbidden = /[<>:"/\\|?*\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/
const forbiddenAll = new RegExp(forbidden, 'g')
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i
const field = /\{([^{}]*)\}/g

/** Text as a file name without extension: safe on every system, never empty, at most 80 characters. */
export function safeName(text: string): string {
  const cleaned = text
    .replaceAll(forbiddenAll, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxNameLength)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/[. ]+$/, '')
  const name = cleaned.replace(/^[. ]+/, '')
  if (name === '') return 'Swap'
  return reserved.test(name) ? `Swap ${name}` : name
}

/** Why a template can't be used for file names. `what` is the part that is wrong. */
export interface TemplateProblem {
  kind: 'empty' | 'long' | 'field' | 'brace' | 'character'
  what: string
}

const isField = (name: string): name is NameField => nameFields.some((each) => each === name)

/** Null: the template can be used. */
export function templateProblem(template: string): TemplateProblem | null {
  if (template.trim() === '') return { kind: 'empty', what: '' }
  if (template.length > maxTemplateLength) return { kind: 'long', what: '' }
  const wrong = [...template.matchAll(field)].find(([, name = '']) => !isField(name))
  if (wrong) return { kind: 'field', what: wrong[0] }
  const text = template.replaceAll(field, '')
  const brace = /[{}]/.exec(text)
  if (brace) return { kind: 'brace', what: brace[0] }
  const character = forbidden.exec(text)
  return character && { kind: 'character', what: character[0] }
}

/** Fills in a template. Separators around fields without a value are dropped. */
function fillTemplate(template: string, values: Readonly<Record<NameField, string>>): string {
  return template
    .replaceAll(field, (_, name: string) => (isField(name) && values[name].trim() !== '' ? values[name] : '\u0000'))
    .replaceAll(/[\s,;_+–—-]*\u0000(?=[\s,;_+–—-]*(?:\u0000|$))/g, '')
    .replaceAll(/\u0000[\s,;_+–—-]*/g, '')
    .trim()
}

/** What a swap's names are made from. */
export interface NameFacts {
  title: string
  /** File names of the faces. */
  faces: readonly string[]
  /** File name of the video or picture. */
  target: string
  /** Names that the user gave to the people who are swapped. */
  people: readonly string[]
  /** Epoch ms. */
  at: number
  /** Its batch; null: it is alone. */
  batch: { number: number; count: number } | null
}

/** A file name without extension. A template with a problem counts as the default one. */
export function nameFrom(template: string, { title, faces, target, people, at, batch }: NameFacts): string {
  const values = {
    title,
    face: [...new Set(faces.map(personFromName))].join(' + '),
    target: titleFromName(target),
    person: people.join(' + '),
    ...dateAndTime(at),
    // With zeros in front, so that files are in order.
    n: batch === null ? '' : String(batch.number).padStart(String(batch.count).length, '0'),
  }
  return safeName(fillTemplate(templateProblem(template) ? defaultFileName : template, values))
}

/** Title of a swap of a batch. @param face and target file names */
export const batchTitle = (template: string, face: string, target: string, batch: NameFacts['batch']): string =>
  nameFrom(template, { title: titleFromName(target), faces: [face], target, people: [], at: Date.now(), batch })

/** Local date and time, as in file names: `2026-11-22` and `14.05`. */
function dateAndTime(at: number): { date: string; time: string } {
  const when = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  return {
    date: `${String(when.getFullYear())}-${two(when.getMonth() + 1)}-${two(when.getDate())}`,
    time: `${two(when.getHours())}.${two(when.getMinutes())}`,
  }
}
