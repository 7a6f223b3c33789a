/**
 * @file Plan files: lists of swaps in JSON or CSV. JSON is `{ "swaps": [{ "face": "a.jpg", "target": "b.mp4" }] }`, with
 * `"cast": ["1=a.jpg", "2=c.jpg"]` instead of a face for several people; CSV has the same names as its header. Pure.
 */
import { CsvError, parse } from 'csv-parse/sync'
import { z } from 'zod'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { MienError, usage } from '@shared/mien-error.ts'
import type { Range } from '@shared/people/people.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { givenOptions, readFaces, readRange, swapOptionNames, type FaceList } from './swap-args.ts'

/** A line of a plan. */
export interface PlannedSwap {
  /** Where it stands in the plan, such as "line 3"; null without a plan. */
  where: string | null
  faces: FaceList
  target: string
  title: string | null
  range: Range | null
  /** The others are as the command says. */
  options: Partial<SwapOptions>
}

const names = ['face', 'cast', 'target', 'title', ...swapOptionNames, 'range', 'rest'] as const
type Line = Partial<Record<(typeof names)[number], string>>

/** Several values in one cell: pictures of one person, people and their pictures, or parts of a video. */
const divider = '|'
const maxSwaps = 10_000

const text = z.union([z.string(), z.number().transform(String)])
const list = z.union([text, z.array(text).transform((values) => values.join(divider))])
const jsonLine = z.strictObject({
  face: list.optional(),
  cast: list.optional(),
  target: text,
  title: text.optional(),
  likeness: text.optional(),
  keep: z.union([text, z.array(text).transform((values) => values.join(','))]).optional(),
  size: text.optional(),
  quality: text.optional(),
  encoder: text.optional(),
  label: text.optional(),
  'label-language': text.optional(),
  range: list.optional(),
  rest: text.optional(),
})
const jsonPlan = z.strictObject({ swaps: z.array(z.unknown()) })

type At = (path: string) => string

/**
 * @param at the absolute path of a file that the plan names
 * @throws MienError `plan-invalid` (`problems`: each with its line, or its number in JSON)
 */
export function readPlan(content: string, name: string, at: At): PlannedSwap[] {
  const problems: string[] = []
  const swaps: PlannedSwap[] = []
  const isJson = /^\s*[[{]/.test(content)
  for (const { where, line } of isJson ? jsonLines(content, name, problems) : csvLines(content, name, problems)) {
    try {
      swaps.push({ where, ...planned(line, at) })
    } catch (error) {
      if (!(error instanceof MienError)) throw error
      problems.push(`${where}: ${problemText(error)}`)
    }
  }
  if (problems.length > 0) throw invalidPlan(name, problems)
  if (swaps.length === 0) throw invalidPlan(name, [m.plan_empty()])
  if (swaps.length > maxSwaps) throw invalidPlan(name, [m.cli_batch_max({ max: maxSwaps })])
  return swaps
}

/** What is wrong with a line. */
export const problemText = ({ body }: MienError): string =>
  body.code === 'usage' ? String(body.details['reason']) : errorSentence(body)

const maxShown = 10
export function invalidPlan(name: string, problems: readonly string[]): MienError {
  const more = problems.length - maxShown
  const shown = [...problems.slice(0, maxShown), ...(more > 0 ? [m.and_more({ count: more })] : [])]
  return new MienError('plan-invalid', { name, problems: shown.join('; ') })
}

function jsonLines(content: string, name: string, problems: string[]): { where: string; line: Line }[] {
  let json: unknown
  try {
    json = JSON.parse(content)
  } catch (error) {
    throw invalidPlan(name, [String(error)])
  }
  const plan = jsonPlan.safeParse(json)
  if (!plan.success) throw invalidPlan(name, [m.plan_no_list()])
  return plan.data.swaps.flatMap((swap, index) => {
    const where = m.plan_swap({ number: index + 1 })
    const line = jsonLine.safeParse(swap)
    if (line.success) return [{ where, line: Object.fromEntries(Object.entries(line.data)) }]
    const [issue] = line.error.issues
    problems.push([where, ...(issue?.path ?? []), issue?.message ?? ''].map(String).join(': '))
    return []
  })
}

function csvLines(content: string, name: string, problems: string[]): { where: string; line: Line }[] {
  let header: string[] = []
  try {
    const records: { record: Line; info: { lines: number } }[] = parse(content, {
      ...{ bom: true, info: true, skip_empty_lines: true, trim: true, skip_records_with_error: true },
      on_skip: (error: CsvError | undefined) => {
        problems.push(textOf(error))
      },
      delimiter: /^[^\n]*;/.test(content) && !/^[^\n]*,/.test(content) ? ';' : ',',
      columns: (found: string[]) => {
        header = found.map((column) => column.toLowerCase())
        return header
      },
    })
    const unknown = header.filter((column) => !names.some((each) => each === column))
    if (unknown.length > 0) throw invalidPlan(name, [m.plan_column({ names: unknown.join(', ') })])
    return records.map(({ record, info }) => ({ where: m.plan_line({ number: info.lines }), line: record }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw invalidPlan(name, [textOf(error)])
  }
}

const textOf = (error: CsvError | undefined): string => {
  const line = error?.['lines']
  return `${m.plan_line({ number: typeof line === 'number' ? line : 1 })}: ${error?.message ?? ''}`
}

/** @throws MienError `usage`, `range-invalid` */
function planned(line: Line, at: At): Omit<PlannedSwap, 'where'> {
  const cell = (name: keyof Line): string | null => line[name]?.trim() || null
  const target = cell('target')
  const [face, cast] = [cell('face'), cell('cast')]
  if (face === null && cast === null) throw usage(m.cli_missing({ option: 'face' }))
  if (target === null) throw usage(m.cli_missing({ option: 'target' }))
  // In plans of earlier versions it was the longest side.
  const size = cell('size')
  if (size !== null && /^\d+$/.test(size)) throw usage(m.plan_size({ size }))
  const parts = (value: string | null): string[] => value?.split(divider).map((each) => each.trim()) ?? []
  return {
    faces: readFaces(parts(face), parts(cast), at),
    target: at(target),
    title: cell('title')?.slice(0, 200) ?? null,
    range: readRange({ ranges: parts(cell('range')), from: null, to: null, rest: cell('rest') }),
    options: givenOptions(cell),
  }
}
