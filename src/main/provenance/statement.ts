/**
 * @file What a result's credentials say: C2PA's manifest definition (C2PA 2.2, sections 18 and 19; IPTC's digital source
 * types). Pure. Texts are in English, as for any reader of the file.
 */
import type { Task, TaskResult } from '@shared/tasks/task.ts'

export interface StatementFacts {
  version: string
  system: string
  /** Epoch ms. */
  now: number
  /** Names of files, people and titles are left out without it. */
  withNames: boolean
  /** Name of the service that made the result; null: this Mien. */
  service: string | null
  /** SHA-256 in hex; null: unknown. */
  targetSha256: string | null
  sha256Of: (faceId: string) => string | null
  /** A part that was swapped again, in ms of the result. */
  change: { kind: 'swapped' | 'left'; startMs: number; endMs: number } | null
}

export interface Statement {
  definition: Record<string, unknown>
  parent: Record<string, unknown>
  inputs: Record<string, unknown>[]
}

/** What Mien adds to the credentials of its results; read back by `read-report.ts`. */
export const swapLabel = 'org.mien.swap'

/** Ids of faces: hashes of their content. */
export const faceId = (sha256: string): string => `urn:sha256:${sha256}`

const sourceTypes = 'http://cv.iptc.org/newscodes/digitalsourcetype/'

type Swap = Pick<Task, 'title' | 'video' | 'face' | 'pictures' | 'cast' | 'consents' | 'options' | 'range'>

/** What a frame of a result says that was saved as a picture. Its parent is the result. */
export function frameStatementOf(
  { title }: Pick<Task, 'title'>,
  { version, system, now, withNames }: Pick<StatementFacts, 'version' | 'system' | 'now' | 'withNames'>,
): Statement {
  const converted = {
    ...{ action: 'c2pa.converted', when: new Date(now).toISOString() },
    ...{ softwareAgent: { name: 'Mien', version }, description: 'A frame was saved as a picture' },
  }
  return {
    definition: definitionOf({ version, system }, withNames ? title : 'A picture', [converted]),
    parent: { relationship: 'parentOf', title: withNames ? title : 'A video' },
    inputs: [],
  }
}

/** C2PA's manifest definition. @param more assertions besides the actions */
const definitionOf = (
  { version, system }: Pick<StatementFacts, 'version' | 'system'>,
  title: string,
  actions: readonly object[],
  more: readonly object[] = [],
) => ({
  ...{ claim_version: 2, title },
  claim_generator_info: [{ name: 'Mien', version, operating_system: system }],
  assertions: [{ label: 'c2pa.actions.v2', data: { actions } }, ...more],
})

/** @param result null: not known yet */
export function statementOf(
  task: Swap,
  result: Pick<TaskResult, 'model' | 'frames' | 'swappedFrames'> | null,
  facts: StatementFacts,
): Statement {
  const { version, now, withNames, service, change } = facts
  const kind = task.video.kind === 'picture' ? 'picture' : 'video'
  const when = new Date(now).toISOString()
  const entries = task.cast.length > 0 ? task.cast : [{ face: task.face, pictures: task.pictures }]
  const pictures = entries.flatMap(({ face, pictures }) => [face, ...pictures])
  const faces = new Map(
    pictures.flatMap(({ id, name }): [string, string][] => {
      const sha256 = facts.sha256Of(id)
      return sha256 === null ? [] : [[sha256, name]]
    }),
  )
  const model = result?.model ?? null
  const agent = service === null ? { name: 'Mien', version } : { name: service }
  // Mien doesn't know what an online service did.
  const sourceType = model ? 'compositeWithTrainedAlgorithmicMedia' : 'composite'
  const ingredientIds = [...faces.keys()].map(faceId)
  const edited = {
    ...{ action: 'c2pa.edited', when, softwareAgent: agent },
    ...(service === null ? { digitalSourceType: sourceTypes + sourceType } : {}),
    description: service === null ? 'Face replaced' : 'Face replaced by an online service; fetched, not made here',
    parameters: { ingredientIds },
  }
  const isCut = task.range?.rest === 'drop'
  const actions = [
    ...(isCut && service === null ? [{ action: 'c2pa.trimmed', when, softwareAgent: agent }] : []),
    edited,
    ...(task.options.size !== null && service === null ? [{ action: 'c2pa.resized', when, softwareAgent: agent }] : []),
    ...(kind === 'video' && service === null ? [{ action: 'c2pa.transcoded', when, softwareAgent: agent }] : []),
    ...(change
      ? [{ ...edited, description: change.kind === 'swapped' ? 'A part was swapped again' : 'A part was put back' }]
      : []),
  ]
  const swap = {
    made: service === null ? 'here' : 'fetched',
    service,
    method: service !== null ? null : (model?.name ?? 'built-in'),
    likeness: service === null ? task.options.likeness : null,
    frames: result?.frames ?? null,
    swappedFrames: result?.swappedFrames ?? null,
    target: { kind, sha256: facts.targetSha256 },
    // By hash: whoever has the record or the release can show that it is this one.
    consents: task.consents.map(({ face, at, release }) => ({ face, at: new Date(at).toISOString(), release })),
    ...(change ? { change: { startMs: change.startMs, endMs: change.endMs } } : {}),
  }
  return {
    definition: definitionOf(facts, withNames ? task.title : `A ${kind}`, actions, [{ label: swapLabel, data: swap }]),
    parent: {
      relationship: 'parentOf',
      title: service !== null ? `A ${kind} from ${service}` : withNames ? task.video.name : `A ${kind}`,
    },
    inputs: [...faces].map(([sha256, name]) => ({
      relationship: 'inputTo',
      title: withNames ? name : 'A face',
      format: 'image/*',
      instance_id: faceId(sha256),
      label: faceId(sha256),
    })),
  }
}
