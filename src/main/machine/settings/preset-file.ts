/** @file Presets as files, to share them. A file may come from anybody, so nothing in it is ignored or replaced. Pure. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { maxPresets, type Preset } from '@shared/settings/presets.ts'
import { presetSchema } from '@shared/settings/settings.ts'
import { swapOptionsSchema } from '@shared/options/swap-options.ts'
import { parseJson } from '@shared/parse-json.ts'

/** A preset has less than 1 kB. */
export const maxPresetBytes = 20_000

const format = 1
/** What all formats have. */
const headSchema = z.object({ app: z.literal('mien'), kind: z.literal('preset'), format: z.int().min(1) })
const fileSchema = z.strictObject({
  ...headSchema.shape,
  name: presetSchema.shape.name,
  options: z.strictObject(swapOptionsSchema.shape),
})

/** Indented JSON text. */
export function presetText({ name, options }: Preset): string {
  return `${JSON.stringify({ app: 'mien', kind: 'preset', format, name, options }, null, 2)}\n`
}

/**
 * Reads a preset. It gets a new id, and another name if a preset has its name.
 * @param file name of the file, for errors
 * @throws MienError `preset-invalid` with a `reason`: `foreign`, `newer`, `field` (unknown), `value`, or `full`; `field`
 *   names the field
 */
export function readPreset(text: string, file: string, known: readonly Preset[]): Preset {
  const invalid = (reason: string, field: string | null = null): MienError =>
    new MienError('preset-invalid', { name: file, reason, field })
  const json = parseJson(text.replace(/^\uFEFF/, ''))
  const head = headSchema.safeParse(json)
  if (!head.success) throw invalid('foreign')
  if (head.data.format > format) throw invalid('newer')
  const parsed = fileSchema.safeParse(json)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const path = issue?.path ?? []
    if (issue?.code === 'unrecognized_keys') throw invalid('field', [...path, issue.keys[0] ?? ''].join('.'))
    throw invalid('value', path.slice(0, 2).join('.'))
  }
  if (known.length >= maxPresets) throw invalid('full')
  const { name, options } = parsed.data
  return { id: randomUUID(), name: freeName(name, known), options }
}

/** `name`, `name 2`, `name 3`, … */
function freeName(name: string, known: readonly Preset[]): string {
  const names = new Set(known.map((preset) => preset.name))
  let free = name
  for (let count = 2; names.has(free); count += 1) free = `${name.slice(0, 54)} ${String(count)}`
  return free
}
