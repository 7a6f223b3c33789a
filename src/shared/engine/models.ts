/**
 * @file Face-swap models that the user adds: what main finds out about a file, and what the engine needs to run it.
 * The families' contracts were read in FaceFusion 3.8.1 (`face_swapper/core.py`, `face_recognizer.py`).
 */
import { z } from 'zod'

/** `simswap-512` is the unofficial SimSwap export, which is normalised differently from the one of 256 pixels. */
export const modelFamilies = [
  'inswapper',
  'hyperswap',
  'ghost',
  'simswap',
  'simswap-512',
  'hififace',
  'uniface',
  'blendswap',
] as const
export type ModelFamily = (typeof modelFamilies)[number]

/** A converter belongs to the training of one of these. `simswap` serves both SimSwap families. */
export const converterFamilies = ['ghost', 'simswap', 'hififace'] as const

/** Where five points of a face lie in a crop; see `faceTemplates`. */
export const templateNames = ['arcface_112_v1', 'arcface_112_v2', 'arcface_128', 'ffhq_512', 'mtcnn_512'] as const
export type TemplateName = (typeof templateNames)[number]

type Point = readonly [x: number, y: number]

/** Left eye, right eye, nose, left and right corner of the mouth, as shares of the crop's width and height. */
export const faceTemplates: Record<TemplateName, readonly [Point, Point, Point, Point, Point]> = {
  arcface_112_v1: [
    [0.35473214, 0.45658929],
    [0.64526786, 0.45658929],
    [0.5, 0.61154464],
    [0.37913393, 0.776875],
    [0.62086607, 0.776875],
  ],
  arcface_112_v2: [
    [0.34191607, 0.46157411],
    [0.65653393, 0.45983393],
    [0.500225, 0.64050536],
    [0.37097589, 0.82469196],
    [0.63151696, 0.82325089],
  ],
  arcface_128: [
    [0.36167656, 0.40387734],
    [0.63696719, 0.40235469],
    [0.50019687, 0.56044219],
    [0.38710391, 0.72160547],
    [0.61507734, 0.72034453],
  ],
  ffhq_512: [
    [0.37691676, 0.46864664],
    [0.62285697, 0.46912813],
    [0.50123859, 0.61331904],
    [0.39308822, 0.725411],
    [0.61150205, 0.72490465],
  ],
  mtcnn_512: [
    [0.36562865, 0.46733799],
    [0.63305391, 0.46585885],
    [0.50019127, 0.61942959],
    [0.39032951, 0.77598822],
    [0.61178945, 0.77476328],
  ],
}

/** Red, green, blue, for values of 0…1. */
const rgb = z.tuple([z.number(), z.number(), z.number()])
const positiveRgb = z.tuple([z.number().positive(), z.number().positive(), z.number().positive()])

/** A square crop as a tensor [1, 3, size, size]: RGB, (value / 255 − mean) / std. */
const pictureShape = {
  /** Width and height in pixels. */
  size: z.int().min(32).max(2048),
  template: z.enum(templateNames),
  mean: rgb,
  std: positiveRgb,
}

/** What a swapper gets of the source face. */
const sourceSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('embedding'),
    /**
     * How the tensor [1, 512] is made of the recogniser's raw embedding e:
     * `emap`: e · emap ÷ ‖e‖, with the 512 × 512 matrix in the swapper's file;
     * `normalised`: e ÷ ‖e‖;
     * `converted`: c = converter(e);
     * `converted-normalised`: c ÷ ‖c‖.
     */
    embedding: z.enum(['emap', 'normalised', 'converted', 'converted-normalised']),
    /**
     * The strength w of 0…1 mixes in the raw embedding t of the face in the video (never converted), by
     * k = 0.35 − 0.7 · w: source · (1 − k) + t' · k, where t' is t ÷ ‖t‖ (`normalised`) or t (`raw`). 0.5 changes nothing.
     */
    strength: z.enum(['normalised', 'raw']),
  }),
  z.object({ kind: z.literal('picture'), ...pictureShape }),
])

/** An input or output of the graph. */
const tensorSchema = z.object({ name: z.string().min(1).max(200), type: z.enum(['float32', 'float16']) })
export type ModelTensor = z.infer<typeof tensorSchema>

export const swapperSchema = z.object({
  role: z.literal('swapper'),
  family: z.enum(modelFamilies),
  /** The crop to be changed. The output has the same shape. */
  ...pictureShape,
  /** Whether the output has to be multiplied by `std` and `mean` added. It is clipped to 0…1 after that. */
  denormalise: z.boolean(),
  source: sourceSchema,
  inputs: z.object({ source: tensorSchema, target: tensorSchema }),
  output: tensorSchema,
  /** Other models that it doesn't work without. */
  needs: z.object({ recogniser: z.boolean(), converter: z.enum(converterFamilies).nullable() }),
})

export const recogniserSchema = z.object({
  role: z.literal('recogniser'),
  ...pictureShape,
  input: tensorSchema,
  /** [1, 512] */
  output: tensorSchema,
})

export const converterSchema = z.object({
  role: z.literal('converter'),
  family: z.enum(converterFamilies),
  /** Input and output are [1, 512]. */
  input: tensorSchema,
  output: tensorSchema,
})

/**
 * `swapper` draws the new face, `recogniser` turns a face into an embedding of 512 numbers, `converter` turns the
 * recogniser's embedding into that of another recogniser.
 */
export const modelSpecSchema = z.discriminatedUnion('role', [swapperSchema, recogniserSchema, converterSchema])
export type ModelSpec = z.infer<typeof modelSpecSchema>
export type SwapperSpec = z.infer<typeof swapperSchema>
export type RecogniserSpec = z.infer<typeof recogniserSchema>

/** A family's part of a spec; the names and types of its tensors come from the file. */
export type FamilyContract = Omit<SwapperSpec, 'role' | 'family' | 'inputs' | 'output'>

const zero: [number, number, number] = [0, 0, 0]
const half: [number, number, number] = [0.5, 0.5, 0.5]
const one: [number, number, number] = [1, 1, 1]
const imageNetMean: [number, number, number] = [0.485, 0.456, 0.406]
const imageNetStd: [number, number, number] = [0.229, 0.224, 0.225]

const recogniserOnly = { recogniser: true, converter: null }

export const familyContracts: Record<ModelFamily, FamilyContract> = {
  inswapper: {
    ...{ size: 128, template: 'arcface_128', mean: zero, std: one, denormalise: false },
    source: { kind: 'embedding', embedding: 'emap', strength: 'normalised' },
    needs: recogniserOnly,
  },
  hyperswap: {
    ...{ size: 256, template: 'arcface_128', mean: half, std: half, denormalise: true },
    source: { kind: 'embedding', embedding: 'normalised', strength: 'normalised' },
    needs: recogniserOnly,
  },
  ghost: {
    ...{ size: 256, template: 'arcface_112_v1', mean: half, std: half, denormalise: true },
    source: { kind: 'embedding', embedding: 'converted', strength: 'raw' },
    needs: { recogniser: true, converter: 'ghost' },
  },
  simswap: {
    ...{ size: 256, template: 'arcface_112_v1', mean: imageNetMean, std: imageNetStd, denormalise: false },
    source: { kind: 'embedding', embedding: 'converted-normalised', strength: 'normalised' },
    needs: { recogniser: true, converter: 'simswap' },
  },
  'simswap-512': {
    ...{ size: 512, template: 'arcface_112_v1', mean: zero, std: one, denormalise: false },
    source: { kind: 'embedding', embedding: 'converted-normalised', strength: 'normalised' },
    needs: { recogniser: true, converter: 'simswap' },
  },
  hififace: {
    ...{ size: 256, template: 'mtcnn_512', mean: half, std: half, denormalise: true },
    source: { kind: 'embedding', embedding: 'converted-normalised', strength: 'normalised' },
    needs: { recogniser: true, converter: 'hififace' },
  },
  uniface: {
    ...{ size: 256, template: 'ffhq_512', mean: half, std: half, denormalise: true },
    source: { kind: 'picture', size: 256, template: 'ffhq_512', mean: zero, std: one },
    needs: { recogniser: false, converter: null },
  },
  blendswap: {
    ...{ size: 256, template: 'ffhq_512', mean: zero, std: one, denormalise: false },
    source: { kind: 'picture', size: 112, template: 'arcface_112_v2', mean: zero, std: one },
    needs: { recogniser: false, converter: null },
  },
}

/** The recogniser's input; x ÷ 127.5 − 1 is (x ÷ 255 − 0.5) ÷ 0.5. */
export const recogniserContract: Omit<RecogniserSpec, 'role' | 'input' | 'output'> = {
  ...{ size: 112, template: 'arcface_112_v2', mean: half, std: half },
}

/**
 * What a model may be used for. `non-commercial`: not for money; `research`: ResearchRAIL, for research and education;
 * `apache-vggface2`: Apache-2.0, but trained on VGGFace2, which is for research; `stated`: in words of its manifest.
 */
export const licenceIds = ['non-commercial', 'research', 'apache-vggface2', 'stated', 'unknown'] as const
/** `text` is that of `stated`. */
export const licenceSchema = z.object({ id: z.enum(licenceIds), text: z.string().nullable() })
export type LicenceId = (typeof licenceIds)[number]

/** A model as a swap method. */
export interface MethodView {
  /** SHA-256 of the swapper. */
  id: string
  name: string
}

/** A model as the settings show it. */
export interface ModelView extends MethodView {
  role: ModelSpec['role']
  /** Null for a recogniser. */
  family: string | null
  /** Side of the picture it works on, in pixels; null for a converter. */
  size: number | null
  sizeBytes: number
  licence: { id: LicenceId; text: string | null }
  /** The licence is unknown, and the user hasn't confirmed that it allows the use. */
  needsConfirmation: boolean
  /** `changed`, `missing`: its file was changed or removed by another program. */
  state: 'ready' | 'changed' | 'missing'
  /** Other models that it needs and that aren't there. */
  missing: MissingModel[]
  /** It can be chosen as the way to swap. */
  isUsable: boolean
  /** Name of the recogniser that it needs, if it isn't the usual one. */
  recogniser: string | null
  /** The last check: what runs it and how long a picture takes (ms), or that it can't be run. Null: not checked. */
  check: { backend: 'webgpu' | 'webnn' | 'wasm' | null; runMs: number | null } | null
}

/** A model that another one needs, and that isn't there: a recogniser, or a family's converter. */
export type MissingModel = 'recogniser' | (typeof converterFamilies)[number]
