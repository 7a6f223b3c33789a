/** @file Marks that say how a file was made: the digital source type (IPTC), and AIGC (GB 45438-2025). */
import type { EngineRequest } from '@shared/engine/engine.ts'
import type { Label } from '@shared/options/label.ts'

/** What files say about how they were made. */
export interface Marks {
  /** Addresses of digital source types. */
  sourceTypes: string[]
  /** JSON texts. */
  aigc: string[]
  /** Metadata that the device or program of a video wrote (`mdta` keys of MP4 and MOV). */
  keys: Readonly<Record<string, string>>
}

export const noMarks: Marks = { sourceTypes: [], aigc: [], keys: {} }

/** What a result says. */
export interface ResultMarks {
  sourceType: string
  aigc: string | null
  /** Of the files that it was made from, as they are there. */
  inputs: Marks
}

/** XMP properties of IPTC's photo and video metadata standards have these addresses as values. */
const sourceTypes = 'http://cv.iptc.org/newscodes/digitalsourcetype/'

/** Without repetitions. Keys of later files take precedence. */
export function joinMarks(all: readonly Marks[]): Marks {
  const every = (of: (marks: Marks) => string[]): string[] => [...new Set(all.flatMap(of))]
  return {
    sourceTypes: every((marks) => marks.sourceTypes),
    aigc: every((marks) => marks.aigc),
    keys: Object.assign({}, ...all.map(({ keys }) => keys)) as Marks['keys'],
  }
}

/**
 * @param isByModel whether a model of the user's drew the face. The built-in method draws no pixels by a model.
 * @param inputs what is generated in an input stays generated in the result
 */
export function marksOfResult(isByModel: boolean, own: string | null, inputs: Marks): ResultMarks {
  const isTrained = isByModel || inputs.sourceTypes.some((type) => /trainedAlgorithmicMedia$/i.test(type))
  const sourceType = `${sourceTypes}${isTrained ? 'compositeWithTrainedAlgorithmicMedia' : 'composite'}`
  return { sourceType, aigc: own ?? inputs.aigc[0] ?? null, inputs }
}

/** The fields of GB 45438-2025, annex E. `1`: it was generated. Who spreads it fills in the other fields. */
export function aigcOf(label: Label | null, aigc: Extract<EngineRequest, { kind: 'swap' }>['aigc']): string | null {
  if (label !== 'china') return null
  return JSON.stringify({
    Label: '1',
    ContentProducer: aigc?.contentProducer ?? '',
    ProduceID: aigc?.produceId ?? '',
    ReservedCode1: '',
    ContentPropagator: '',
    PropagateID: '',
    ReservedCode2: '',
  })
}
