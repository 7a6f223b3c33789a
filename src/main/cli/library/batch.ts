/** @file The command that adds many swaps at once. */
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { MienError, usage } from '@shared/errors.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { batchTitle, defaultBatchTitles } from '@shared/files/name-template.ts'
import { plain } from '@shared/plain.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { maxPictures } from '@shared/options/default-options.ts'
import type { Draft, VideoMedia } from '@shared/tasks/task.ts'
import type { AppContext } from '../../app/app-context.ts'
import { onFile } from '../../machine/disk/disk-errors.ts'
import { findMedia } from '../../media/find-media.ts'
import { withPersonIds } from '../args/cast.ts'
import { giveConsents } from './consents.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { CommandOf } from '../args/args.ts'
import { absolute } from '../args/launch.ts'
import { named } from './lookup.ts'
import { methodNamed } from './models.ts'
import { invalidPlan, problemText, readPlan, type PlannedSwap } from '../args/plan-file.ts'
import { exitCodeOfAll, follow, giveUp, printTask } from './swaps.ts'
import { within } from '../args/swap-args.ts'

const maxFiles = 10_000
const maxSwaps = 10_000
/** Unusable files that are listed by name. */
const maxListed = 20

/** What the swaps of a batch have in common. */
interface Shared {
  profileId: string
  /** Template. */
  title: string
  options: SwapOptions
}

export async function batch(context: AppContext, command: CommandOf<'batch'>): Promise<number> {
  const profile = named(context.profiles, command.profile)
  const method = await methodNamed(context.models, command.method)
  const planned = command.plan === null ? await product(command) : await plan(command.plan, command)
  if (planned.length > maxSwaps) throw usage(m.cli_batch_max({ max: maxSwaps }))
  context.engine.warm()
  const media = await importAll(context, planned, command.plan)
  await findPeople(context, media, command.plan)
  const pictures = new Set(media.flatMap(({ faces }) => faces.flatMap((face) => [face.faceId, ...face.pictureIds])))
  await giveConsents(context, [...pictures], command.consent)
  const faces = new Set(media.map(({ swap }) => swap.faces[0].pictures[0])).size
  const drafts = draftsOf(media, {
    profileId: profile.id,
    title: command.title ?? (faces > 1 ? defaultBatchTitles : '{target}'),
    options: { ...command.options, method },
  })
  if (profile.embedded) await context.startService()
  const check = context.tasks.serviceCheck()
  for (const draft of drafts) await check(draft)
  const { taskIds } = context.tasks.submitAll(drafts)
  process.stderr.write(`${m.cli_batch_added({ count: taskIds.length })}\n`)
  if (!command.wait) {
    if (profile.embedded) process.stderr.write(`${m.cli_not_running()}\n`)
    for (const taskId of taskIds) await printTask(context, taskId, command.json)
    return exitCodes.done
  }
  const givenUp = await follow(context, profile, taskIds)
  for (const taskId of taskIds) await printTask(context, taskId, command.json)
  if (givenUp.length > 0) return giveUp(givenUp)
  return exitCodeOfAll(context.tasks, taskIds)
}

/** Each face with each target. */
async function product({ faces, targets, range }: CommandOf<'batch'>): Promise<PlannedSwap[]> {
  const [found, into] = [await findMedia(faces, maxFiles), await findMedia(targets, maxFiles)]
  const pictures = found.usable.filter(({ kind }) => kind === 'face')
  const videos = found.usable.filter(({ kind }) => kind === 'video').map(({ path }) => path)
  listUnusable([...found.unusable, ...videos, ...into.unusable].map((path) => basename(path)))
  if (found.isCutOff || into.isCutOff) process.stderr.write(`${m.cli_too_many_files({ count: maxFiles })}\n`)
  if (pictures.length === 0) throw usage(m.cli_no_pictures({ option: '--faces' }))
  if (into.usable.length === 0) throw usage(m.cli_no_targets({ option: '--targets' }))
  return pictures.flatMap(({ path }) =>
    into.usable.map((target) => ({
      ...{ where: null, faces: [{ personId: null, pictures: [path] }], target: target.path, title: null },
      ...{ range: target.kind === 'video' ? range : null, options: {} },
    })),
  )
}

/** Paths in a plan are relative to its folder. */
async function plan(path: string, { range }: CommandOf<'batch'>): Promise<PlannedSwap[]> {
  const name = basename(path)
  const content = await onFile(readFile(path, 'utf8'))
  const swaps = readPlan(content, name, (file) => absolute(file, dirname(path)))
  return swaps.map((swap) => ({ ...swap, range: swap.range ?? range }))
}

interface ImportedFace {
  personId: string
  faceId: string
  pictureIds: string[]
}

interface ImportedSwap {
  swap: PlannedSwap
  /** Whom `--cast` or the plan names. */
  faces: ImportedFace[]
  /** Of the first picture. */
  faceName: string
  video: VideoMedia
}

/** Replaces the names of people by their ids. @throws MienError `plan-invalid`: `problems` name the lines */
async function findPeople(
  { people }: AppContext,
  imported: readonly ImportedSwap[],
  planPath: string | null,
): Promise<void> {
  const problems: string[] = []
  for (const each of imported) {
    const { faces, video, swap } = each
    if (swap.faces[0].personId === null) continue
    try {
      each.faces = withPersonIds((await people.complete(video.id)).people, faces)
    } catch (error) {
      if (!(error instanceof MienError) || error.code === 'cancelled') throw error
      problems.push(`${swap.where ?? ''}: ${problemText(error)}`)
    }
  }
  if (problems.length > 0) throw invalidPlan(basename(planPath ?? ''), problems)
}

/**
 * Imports each file once. Files of a plan must all be usable; others are listed and left out.
 * @throws MienError `plan-invalid`, or the problem of the only file
 */
async function importAll(
  context: AppContext,
  planned: readonly PlannedSwap[],
  planPath: string | null,
): Promise<ImportedSwap[]> {
  const problems = new Map<string, MienError>()
  const once = <T>(take: (path: string) => Promise<T>): ((path: string) => Promise<T | null>) => {
    const taken = new Map<string, T | null>()
    return async (path) => {
      const known = taken.get(path)
      if (known !== undefined) return known
      const media = await take(path).catch((error: unknown) => {
        if (!(error instanceof MienError) || error.code === 'cancelled') throw error
        problems.set(path, error)
        return null
      })
      taken.set(path, media)
      return media
    }
  }
  const face = once((path) => context.intake.faceFile(path))
  const target = once((path) => context.intake.video(path))
  const imported: ImportedSwap[] = []
  for (const swap of planned) {
    const faces: ImportedFace[] = []
    let faceName: string | null = null
    for (const { personId, pictures } of swap.faces) {
      const ids: string[] = []
      let isComplete = true
      for (const picture of pictures) {
        const media = await face(picture)
        isComplete &&= media !== null
        ids.push(...(media ?? []).map(({ id }) => id))
        faceName ??= media?.[0].name ?? null
      }
      const [faceId, ...pictureIds] = ids.slice(0, maxPictures)
      if (faceId !== undefined && isComplete) faces.push({ personId: personId ?? '', faceId, pictureIds })
    }
    const video = await target(swap.target)
    if (video && faces.length === swap.faces.length) imported.push({ swap, faces, faceName: faceName ?? '', video })
  }
  const said = [...problems].map(([path, error]) => `${plain(basename(path))}: ${errorSentence(error.body)}`)
  if (said.length > 0 && planPath !== null)
    throw new MienError('plan-invalid', { name: basename(planPath), problems: said.join('; ') })
  const [only] = problems.values()
  if (imported.length === 0 && only) throw only
  listUnusable(said)
  return imported
}

function draftsOf(imported: readonly ImportedSwap[], { profileId, title, options }: Shared): Draft[] {
  return imported.map(({ swap, faces, faceName, video }, index) => ({
    faceId: faces[0]?.faceId ?? '',
    pictureIds: faces[0]?.pictureIds ?? [],
    cast: swap.faces[0].personId === null ? [] : faces,
    videoId: video.id,
    title: swap.title ?? batchTitle(title, faceName, video.name, { number: index + 1, count: imported.length }),
    profileId,
    options: { ...options, ...swap.options },
    range: within(swap.range, video.durationMs),
  }))
}

function listUnusable(names: readonly string[]): void {
  if (names.length === 0) return
  const more = names.length - maxListed
  const lines = [
    ...names.slice(0, maxListed).map((name) => plain(name)),
    ...(more > 0 ? [m.and_more({ count: more })] : []),
  ]
  process.stderr.write(`${m.cli_not_used({ count: names.length })}\n${lines.map((line) => `  ${line}\n`).join('')}`)
}
