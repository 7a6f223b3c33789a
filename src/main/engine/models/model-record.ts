/** @file What Mien stores about a model, and which models work together. Pure. */
import { z } from 'zod'
import { modelCheckSchema } from '@shared/engine/engine.ts'
import { licenceIds, modelSpecSchema, type MissingModel } from '@shared/engine/models.ts'
import { usualRecogniser } from './recognise-model.ts'

export const modelRecordSchema = z.object({
  /** Format version. Records of newer versions aren't read. */
  version: z.literal(1),
  /** SHA-256 of the file, in hexadecimal. */
  id: z.string().regex(/^[0-9a-f]{64}$/),
  /** Unique among the models, ignoring case. */
  name: z.string().min(1),
  /** Name of the file that was added. */
  fileName: z.string(),
  /** Of the copy, to notice changes. */
  sizeBytes: z.int(),
  modifiedMs: z.number(),
  addedAt: z.int(),
  spec: modelSpecSchema,
  /** Name of the recogniser that the manifest wants; null: the usual one. */
  recogniser: z.string().nullable(),
  licence: z.object({
    id: z.enum(licenceIds),
    /** Of `stated`. */
    text: z.string().nullable(),
    /** When the user confirmed that an unknown licence allows the use. */
    confirmedAt: z.int().nullable(),
  }),
  /** Result of the last check on this computer. */
  check: modelCheckSchema.nullable().default(null),
})
export type ModelRecord = z.infer<typeof modelRecordSchema>

interface Companions {
  recogniser: ModelRecord | null
  converter: ModelRecord | null
  missing: MissingModel[]
}

const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** The other models that a model needs. */
export function companionsOf({ spec, recogniser: wanted }: ModelRecord, records: readonly ModelRecord[]): Companions {
  const none: Companions = { recogniser: null, converter: null, missing: [] }
  if (spec.role !== 'swapper') return none
  const { needs } = spec
  const isWanted = ({ name, fileName }: ModelRecord): boolean =>
    wanted === null ? usualRecogniser.test(fileName) : isSameName(name, wanted)
  const recogniser = needs.recogniser ? records.find((each) => each.spec.role === 'recogniser' && isWanted(each)) : null
  const converter =
    needs.converter && records.find((each) => each.spec.role === 'converter' && each.spec.family === needs.converter)
  return {
    recogniser: recogniser ?? null,
    converter: converter ?? null,
    missing: [
      ...(recogniser === undefined ? ['recogniser' as const] : []),
      ...(converter === undefined && needs.converter ? [needs.converter] : []),
    ],
  }
}

/** Max length of a name. */
const maxLength = 60

/** A free name after the file's: `face.onnx` becomes `face`, then `face-2`. */
export function freeName(fileName: string, taken: readonly string[]): string {
  const stem = fileName
    .replace(/\.onnx$/i, '')
    .normalize('NFC')
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, maxLength)
  const base = stem === '' ? 'model' : stem
  const isFree = (name: string): boolean => !taken.some((each) => isSameName(each, name))
  let name = base
  for (let number = 2; !isFree(name); number++) name = `${base}-${String(number)}`
  return name
}
