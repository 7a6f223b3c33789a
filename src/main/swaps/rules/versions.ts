/**
 * @file The files of a finished swap of which parts were swapped again. A version is recorded as `placing` before its
 * file replaces the one in the user's folder, and as `current` afterwards, so that a start after a crash can finish it.
 * Pure.
 */
import type { QualityRun, ReRenderResult, WeakPart } from '@shared/engine/engine.ts'
import type { VideoPart } from '@shared/people/people.ts'
import type { Task, TaskEvent, TaskResult, TaskVersion } from '@shared/tasks/task.ts'

export type VersionAction =
  /** The file of a version is about to replace the result's. `made`: the version is new. */
  | { type: 'version-placing'; number: number; made: TaskVersion | null }
  | { type: 'version-placed' }
  /** It couldn't be placed; a new one is forgotten. */
  | { type: 'version-not-placed' }

/** Number of versions to keep, at most. */
export const maxVersions = 5

type Versions = NonNullable<Task['versions']>
type EventsWith = (what: TaskEvent['what'], details: TaskEvent['details']) => TaskEvent[]

/** The change of a kept swap; null: nothing changes. */
export function withVersions(task: Task, action: VersionAction, eventsWith: EventsWith): Partial<Task> | null {
  const { result } = task
  if (!result) return null
  const versions = task.versions ?? { list: [firstVersion(task, result)], current: 1, placing: null }
  switch (action.type) {
    case 'version-placing': {
      const { number, made } = action
      const list = made ? [...versions.list, made] : versions.list
      if (!list.some((one) => one.number === number)) return null
      return { versions: { ...versions, list, placing: { number, isNew: made !== null } } }
    }
    case 'version-not-placed': {
      const list = versions.list.filter(({ number }) => !versions.placing?.isNew || number !== versions.placing.number)
      return { versions: list.length < 2 ? null : { ...versions, list, placing: null } }
    }
    case 'version-placed': {
      const version = versions.list.find(({ number }) => number === versions.placing?.number)
      if (!version) return null
      const { number, change, sizeBytes, swappedFrames, quality, weak, credentials } = version
      const { kind, ...part } = change ?? { kind: null }
      const isNew = versions.placing?.isNew === true && kind !== null
      return {
        versions: pruned({ ...versions, current: number, placing: null }),
        result: { ...result, sizeBytes, swappedFrames, quality, weak, credentials },
        events: isNew ? eventsWith(`part-${kind}`, part) : eventsWith('went-back', { version: number }),
      }
    }
  }
}

function firstVersion(
  { endedAt, updatedAt }: Task,
  { sizeBytes, swappedFrames, quality, weak, credentials }: TaskResult,
): TaskVersion {
  return { number: 1, at: endedAt ?? updatedAt, change: null, sizeBytes, swappedFrames, quality, weak, credentials }
}

/** Without the oldest ones beyond `maxVersions`. */
function pruned(versions: Versions): Versions {
  const { list, current } = versions
  const spare = list.filter(({ number }) => number !== 1 && number !== current)
  const dropped = new Set(spare.slice(0, Math.max(0, list.length - maxVersions)))
  return { ...versions, list: list.filter((one) => !dropped.has(one)) }
}

/** The version that a change of a part makes. @param made by the engine, and whether its file was signed */
export function versionOf(
  task: Pick<Task, 'versions'>,
  result: Pick<TaskResult, 'quality' | 'weak'>,
  change: NonNullable<TaskVersion['change']>,
  { sizeBytes, firstFrame, credentials, ...made }: ReRenderResult & Pick<TaskVersion, 'credentials'>,
  at: number,
): TaskVersion {
  const quality = result.quality && joinedRuns(result.quality, firstFrame, made.quality)
  return {
    ...{ number: (task.versions?.list.at(-1)?.number ?? 1) + 1, at, change, sizeBytes, quality, credentials },
    swappedFrames: quality?.reduce((sum, { kind, frames }) => sum + (kind === 'swapped' ? frames : 0), 0) ?? null,
    weak: joinedWeak(result.weak, change, made.weak),
  }
}

/** Runs of all frames, with those from frame `at` on replaced. */
export function joinedRuns(all: readonly QualityRun[], at: number, runs: readonly QualityRun[]): QualityRun[] {
  const end = at + runs.reduce((sum, { frames }) => sum + frames, 0)
  const joined: QualityRun[] = []
  const add = ({ kind, frames }: QualityRun): void => {
    const last = joined.at(-1)
    if (last?.kind === kind) last.frames += frames
    else if (frames > 0) joined.push({ kind, frames })
  }
  /** The frames of `all` between two numbers. */
  const addOld = (from: number, to: number): void => {
    let first = 0
    for (const { kind, frames } of all) {
      add({ kind, frames: Math.max(0, Math.min(to, first + frames) - Math.max(from, first)) })
      first += frames
    }
  }
  addOld(0, at)
  runs.forEach(add)
  addOld(end, Infinity)
  return joined
}

/** Weak parts, with those of a part replaced. What is left of one has its share of frames. */
export function joinedWeak(all: readonly WeakPart[], part: VideoPart, weak: readonly WeakPart[]): WeakPart[] {
  const cut = (one: WeakPart, fromMs: number, toMs: number): WeakPart[] => {
    const [from, to] = [Math.max(one.fromMs, fromMs), Math.min(one.toMs, toMs)]
    const frames = Math.round((one.frames * (to - from)) / (one.toMs - one.fromMs))
    return to > from ? [{ ...one, fromMs: from, toMs: to, frames: Math.max(1, frames) }] : []
  }
  const outside = all.flatMap((one) => [...cut(one, 0, part.fromMs), ...cut(one, part.toMs, Infinity)])
  return [...outside, ...weak].sort((a, b) => a.fromMs - b.fromMs || a.face - b.face)
}
