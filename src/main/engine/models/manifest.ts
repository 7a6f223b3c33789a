/**
 * @file A manifest: a JSON file beside a model with the same name, for exports that Mien can't recognise. It is the
 * user's word about the model and overrides what Mien knows of its family.
 */
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { converterFamilies, modelFamilies, templateNames, type LicenceId } from '@shared/engine/models.ts'
import { onFile } from '../../machine/disk/disk-errors.ts'

const maxBytes = 65_536

const tensorName = z.string().min(1).max(200)
const rgb = z.tuple([z.number(), z.number(), z.number()])
const positiveRgb = z.tuple([z.number().positive(), z.number().positive(), z.number().positive()])

const fields = {
  /** The names of its inputs and of its output. */
  names: z
    .strictObject({ source: tensorName, target: tensorName, input: tensorName, output: tensorName })
    .partial()
    .default({}),
  licence: z.string().trim().min(1).max(200).optional(),
}

const manifestSchema = z.discriminatedUnion('role', [
  z.strictObject({
    ...fields,
    role: z.literal('swapper'),
    family: z.enum(modelFamilies),
    template: z.enum(templateNames).optional(),
    mean: rgb.optional(),
    std: positiveRgb.optional(),
    denormalise: z.boolean().optional(),
    /** Name of its recogniser among the user's models. */
    recogniser: z.string().trim().min(1).max(100).optional(),
  }),
  z.strictObject({
    ...fields,
    role: z.literal('recogniser'),
    template: z.enum(templateNames).optional(),
    mean: rgb.optional(),
    std: positiveRgb.optional(),
  }),
  z.strictObject({ ...fields, role: z.literal('converter'), family: z.enum(converterFamilies) }),
])
export type Manifest = z.infer<typeof manifestSchema>

/**
 * The manifest of the model at `path`; null if there is none.
 * @throws MienError `model-manifest` (name, field, message)
 */
export async function readManifest(path: string): Promise<Manifest | null> {
  const manifestPath = path.replace(/\.onnx$/i, '') + '.json'
  const name = basename(manifestPath)
  const wrong = (message: string): MienError => new MienError('model-manifest', { name, message })
  const info = await stat(manifestPath).catch(() => null)
  if (info === null) return null
  if (!info.isFile() || info.size > maxBytes) throw wrong('')
  const text = await onFile(readFile(manifestPath, 'utf8'))
  try {
    return manifestSchema.parse({ role: 'swapper', ...(JSON.parse(text) as object) })
  } catch (error) {
    const issue = error instanceof z.ZodError ? error.issues[0] : undefined
    throw wrong(issue ? `${issue.path.join('.')}: ${issue.message}` : '')
  }
}

/** What known models may be used for, as their makers or distributors label them. */
const known: readonly [RegExp, LicenceId][] = [
  [/^inswapper_128(?:_fp16)?$/, 'non-commercial'],
  [/^(?:arcface_)?w600k_r50$/, 'non-commercial'],
  [/^simswap_(?:256|unofficial_512)$/, 'non-commercial'],
  [/^blendswap_256$/, 'non-commercial'],
  [/^hyperswap_1[abc]_256$/, 'research'],
  [/^ghost_[123]_256$/, 'apache-vggface2'],
]

/** By file name, because only the user knows whether the content is theirs. @param fileName without its folder */
export function licenceOf(fileName: string, manifest: Manifest | null): { id: LicenceId; text: string | null } {
  if (manifest?.licence !== undefined) return { id: 'stated', text: manifest.licence }
  const stem = fileName.replace(/\.onnx$/i, '').toLowerCase()
  return { id: known.find(([name]) => name.test(stem))?.[1] ?? 'unknown', text: null }
}
