/** @file `mien mend`: the weak parts of a finished swap, and parts of it that are swapped again. */
import { formatLength } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { weakWords } from '@shared/i18n/weak-words.ts'
import { usage } from '@shared/mien-error.ts'
import type { PartProgress } from '@shared/people/part-progress.ts'
import type { VideoPart } from '@shared/people/people.ts'
import { plain } from '@shared/plain.ts'
import type { PartChange, Task, TaskResult } from '@shared/tasks/task.ts'
import type { AppContext } from '../../app/app-context.ts'
import { withPersonIds } from '../args/cast.ts'
import { giveConsents } from './consents.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { CommandOf } from '../args/args.ts'
import { taskOf } from './lookup.ts'
import type { Mending } from '../args/mend-args.ts'
import { methodNamed } from './models.ts'
import { type Places, print } from '../output/output-lines.ts'
import { partLine, ProgressOutput } from '../output/progress-output.ts'
import { tableLines } from '../output/table.ts'

type Finished = Task & { result: TaskResult }

/** @throws MienError `usage` for other swaps than finished ones of videos */
function finished(task: Task): Finished {
  const { state, result, video } = task
  if (state !== 'kept' || !result || video.kind === 'picture')
    throw usage(m.cli_mend_video({ title: plain(task.title) }))
  return { ...task, result }
}

/** Who can be named: the people of the swap's cast; without one, the person whose face is swapped. */
const peopleOf = ({ cast }: Task): { id: string; name: string | null }[] =>
  cast.length > 0 ? cast.map(({ personId, personName }) => ({ id: personId, name: personName })) : [{ id: 'p1', name: null }] // prettier-ignore

const versionsOf = ({ versions, endedAt, updatedAt }: Task) =>
  versions?.list ?? [{ number: 1, at: endedAt ?? updatedAt, change: null }]

const currentOf = ({ versions }: Task): number => versions?.current ?? 1

function mendingJson(task: Finished, places: Places) {
  const current = currentOf(task)
  return {
    id: task.id,
    result: places.path(task.result.mediaId),
    people: peopleOf(task),
    weak: task.result.weak.map(({ kind, face, fromMs, toMs, frames }) => ({
      ...{ kind, person: peopleOf(task)[face]?.id ?? null, fromMs, toMs, frames },
    })),
    version: current,
    versions: versionsOf(task).map(({ number, at, change }) => ({
      ...{ version: number, at: new Date(at).toISOString(), change },
    })),
  }
}

/** To the millisecond, so that `--from` and `--to` have the same frames: "0:01.480". */
const time = (ms: number): string =>
  `${formatLength(Math.floor(ms / 1000) * 1000)}.${String(ms % 1000).padStart(3, '0')}`
const times = ({ fromMs, toMs }: VideoPart): { from: string; to: string } => ({ from: time(fromMs), to: time(toMs) })

function mendingText(task: Finished): string {
  const people = peopleOf(task)
  const weak = task.result.weak.map(({ kind, face, fromMs, toMs }) => {
    const who = people.length < 2 ? '' : plain(people[face]?.name ?? people[face]?.id ?? '')
    return [time(fromMs), time(toMs), who, weakWords[kind].name()]
  })
  const versions = versionsOf(task).map(({ number, change }) => [
    `${number === currentOf(task) ? '*' : ' '} ${m.version({ number })}`,
    change === null ? m.version_first() : (change.kind === 'left' ? m.event_part_left : m.event_part_swapped)(times(change)), // prettier-ignore
  ])
  return [...(weak.length > 0 ? tableLines(weak) : [m.cli_mend_none()]), ...tableLines(versions)].join('\n')
}

/** Lists. @throws MienError `usage` */
export function printMending(json: boolean, task: Task, places: Places): void {
  const swap = finished(task)
  print(json, mendingJson(swap, places), mendingText(swap))
}

/**
 * Swaps a part again, leaves it as in the original, or puts another version in the place of the current one.
 * @throws MienError `usage`, codes of `VersionService`
 */
export async function mend(context: AppContext, { id, json, mending }: CommandOf<'mend'>): Promise<number> {
  const { tasks, versions, media } = context
  const task = finished(taskOf(tasks, id))
  if (mending === null) return exitCodes.done
  if (mending.kind === 'version') await versions.goBack(task.id, versionNumber(task, mending.number))
  else {
    context.engine.warm()
    const stopShowing = showProgress(context)
    await versions.make(task.id, await changeOf(context, task, mending)).finally(stopShowing)
  }
  const after = finished(tasks.get(task.id))
  const path = (mediaId: string): string | null => media.path(mediaId)
  const places = { profile: () => '', path }
  const file = plain(path(after.result.mediaId) ?? '')
  print(json, mendingJson(after, places), m.cli_mended({ number: currentOf(after), file }))
  return exitCodes.done
}

/** @throws MienError `usage` */
function versionNumber(task: Task, wanted: number | 'before'): number {
  const list = versionsOf(task)
  const version =
    wanted === 'before'
      ? list.findLast(({ number }) => number < currentOf(task))
      : list.find(({ number }) => number === wanted)
  if (!version) throw usage(wanted === 'before' ? m.cli_mend_first() : m.cli_mend_no_version({ number: wanted }))
  return version.number
}

type Swapping = Exclude<Mending, { kind: 'version' }>

async function changeOf(context: AppContext, task: Finished, mending: Swapping): Promise<PartChange> {
  const { intake, models } = context
  const end = Math.max(mending.part.fromMs + 1, task.result.durationMs ?? mending.part.toMs)
  const part = { ...mending.part, toMs: Math.min(mending.part.toMs, end) }
  const people = peopleOf(task)
  if (mending.kind === 'leave') return { part, faces: people.map(() => null), options: task.options }
  const { faces: given, stay, options, method, consent } = mending
  const [only, another] = people
  if (another && given.some(({ personId }) => personId === null)) throw usage(m.cli_mend_whom())
  const named = withPersonIds(people, [
    ...given.map(({ personId, pictures }) => ({ personId: personId ?? only?.id ?? '', picture: pictures[0] })),
    ...stay.map((personId) => ({ personId, picture: null })),
  ])
  const way = method === null ? task.options.method : await methodNamed(models, method)
  const faces: PartChange['faces'] = people.map((_, at) => at)
  const pictures: string[] = []
  for (const { personId, picture } of named) {
    const face = picture === null ? null : (await intake.face(picture)).id
    if (face !== null) pictures.push(face)
    faces[people.findIndex((person) => person.id === personId)] = face
  }
  await giveConsents(context, pictures, consent)
  return { part, faces, options: { ...task.options, ...options, method: way } }
}

/** Shows progress on stderr until the returned function is called. */
function showProgress({ versions }: AppContext): () => void {
  const output = new ProgressOutput()
  const show = (progress: Omit<PartProgress, 'taskId'>): void => output.show(progress.share ?? 0, partLine(progress))
  versions.onProgress(show)
  show({ share: 0, etaMs: null })
  return () => output.stop()
}
