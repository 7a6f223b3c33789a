/** @file Commands that send, watch and fetch swaps of the library. */
import { copyFile } from 'node:fs/promises'
import { basename, dirname, extname } from 'node:path'
import { MienError, usage, type ErrorCode } from '@shared/errors.ts'
import { plain } from '@shared/plain.ts'
import { errorText } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { maxPictures } from '@shared/options/default-options.ts'
import { embeddedProfileId, type Draft, type FaceMedia, type Task, type TaskState } from '@shared/tasks/task.ts'
import type { AppContext } from '../../app/app-context.ts'
import { checkReadable, saveFailure } from '../../machine/disk/disk-errors.ts'
import { folderName, replaceFile } from '../../machine/disk/files.ts'
import type { MediaStore } from '../../media/media-store.ts'
import { removePart } from '../../remote/client/transport/download.ts'
import { withPersonIds } from '../args/cast.ts'
import { giveConsents } from './consents.ts'
import { exitCodeOfTask, exitCodes } from '../output/exit-codes.ts'
import { checkedMethod, methodNamed, printModelTime } from './models.ts'
import { named, placesOf, taskOf } from './lookup.ts'
import { watchTasks, type Watched } from './watch-tasks.ts'
import type { CommandOf } from '../args/args.ts'
import type { Source } from '../args/library-args.ts'
import { checkPaths, checkOut } from '../output/check-paths.ts'
import { stateText, taskJson, taskLine, type Places, print } from '../output/output-lines.ts'
import { within } from '../args/swap-args.ts'

export async function submit(context: AppContext, command: CommandOf<'submit'>): Promise<number> {
  const profile = named(context.profiles, command.profile)
  const { video: videoFrom } = command
  const [faceFrom] = command.faces[0].pictures
  const sources = [...command.faces.flatMap(({ pictures }) => pictures), videoFrom]
  await checkPaths(
    'submit',
    null,
    sources.flatMap((source) => ('path' in source ? [source.path] : [])),
  )
  context.engine.warm()
  if (command.noFetch && profile.embedded) throw usage(m.cli_no_fetch())
  const { intake } = context
  const method = profile.embedded
    ? await checkedMethod(context, command.method)
    : await methodNamed(context.models, command.method)
  const given = { service: profile.embedded ? null : profile.name, noFetch: command.noFetch }
  const [first, ...others] = await takeInOrder(command.faces, async ({ personId, pictures }) => {
    const [[face, ...views], ...more] = await takeInOrder(pictures, (from) =>
      take<[FaceMedia, ...FaceMedia[]]>(from, given, {
        file: (path) => intake.faceFile(path),
        look: async (url) => [await intake.faceAddress(url)],
        unseen: async (url) => [await intake.unseenFace(url)],
      }),
    )
    const others = [...views, ...more.flat()].slice(0, maxPictures - 1)
    return { personId: personId ?? '', faceId: face.id, pictureIds: others.map(({ id }) => id) }
  })
  const pictures = [first, ...others].flatMap(({ faceId, pictureIds }) => [faceId, ...pictureIds])
  await giveConsents(context, pictures, command.consent)
  const video = await take(videoFrom, given, {
    file: (path) => intake.video(path),
    look: (url) => intake.address(url),
    unseen: (url) => intake.unseenVideo(url),
  })
  const isCast = command.faces[0].personId !== null
  const found = isCast ? await context.people.complete(video.id) : null
  const cast = found ? withPersonIds(found.people, [first, ...others]) : []
  if (profile.embedded) await context.startService()
  const title = (command.title ?? basename(video.name, extname(video.name))).slice(0, 200)
  const draft: Draft = {
    ...{ faceId: first.faceId, pictureIds: first.pictureIds, cast },
    videoId: video.id,
    title,
    profileId: profile.id,
    options: { ...command.options, method },
    range: within(command.range, video.durationMs),
  }
  await context.tasks.checkService(draft)
  await printModelTime(context, draft, found)
  const { taskId } = context.tasks.submit(
    draft,
    // A remote service fetches URLs itself; we only downloaded them for inspection.
    profile.embedded
      ? {}
      : {
          ...(!isCast && 'url' in faceFrom ? { imageUrl: faceFrom.url } : {}),
          ...('url' in videoFrom ? { videoUrl: videoFrom.url } : {}),
        },
  )
  // This computer's queue continues when Mien is open or with `watch`; other services get the swap now.
  if (profile.embedded && !command.wait) {
    process.stderr.write(`${m.cli_not_running()}\n`)
    return printTask(context, taskId, command.json)
  }
  const sent = (task: Task): boolean => !['queued', 'uploading', 'submitting'].includes(task.state)
  const givenUp = await follow(context, profile, [taskId], (task) => !command.wait && sent(task))
  const task = context.tasks.get(taskId)
  await printTask(context, taskId, command.json)
  return givenUp.length > 0 ? giveUp(givenUp) : (exitCodeOfTask(task) ?? exitCodes.done)
}

/**
 * Starts the services, and prints a line per change on stderr until all swaps have ended or `over` is true of them.
 * Returns those whose results can't be downloaded.
 */
export function follow(
  context: AppContext,
  { embedded }: { embedded: boolean },
  taskIds: readonly string[],
  over: (task: Task) => boolean = () => false,
): Promise<Task[]> {
  const places = placesOf(context.media, context.profiles.names())
  return watchTasks(context.tasks, taskIds, {
    start: () => (embedded ? context.tasks.start() : context.start()),
    over: (task) => exitCodeOfTask(task) !== null || over(task),
    onChange: (task) => process.stderr.write(`${taskLine(task, places)}\n`),
  })
}

export function giveUp(tasks: readonly Task[]): number {
  for (const task of tasks) process.stderr.write(`${task.id}  ${m.cli_gave_up()}\n`)
  return exitCodes.service
}

/** Imports one after the other, because an import of a picture replaces the one before it. */
export async function takeInOrder<From, Media>(
  [first, ...more]: readonly [From, ...From[]],
  take: (from: From) => Promise<Media>,
): Promise<[Media, ...Media[]]> {
  const taken: [Media, ...Media[]] = [await take(first)]
  for (const from of more) taken.push(await take(from))
  return taken
}

/** Errors that prevent opening a URL here but perhaps not at a service. */
const notOpened: readonly ErrorCode[] = ['address-silent', 'address-refused', 'disk-full']

/**
 * Imports a file or a URL. For a remote service, a URL that can't be opened here is accepted too.
 * @param given the service's name, null for this computer; and whether not to open URLs at all
 */
async function take<Media>(
  source: Source,
  given: { service: string | null; noFetch: boolean },
  ways: Record<'file' | 'look' | 'unseen', (from: string) => Promise<Media>>,
): Promise<Media> {
  if ('path' in source) return ways.file(source.path)
  if (given.noFetch) return ways.unseen(source.url)
  return ways.look(source.url).catch((error: unknown) => {
    const { service } = given
    if (service === null || !(error instanceof MienError) || !notOpened.includes(error.code)) throw error
    process.stderr.write(`${m.cli_unseen({ problem: errorText(error.body).body, service })}\n`)
    return ways.unseen(source.url)
  })
}

export async function printTask(context: AppContext, taskId: string, json: boolean): Promise<number> {
  const places = placesOf(context.media, context.profiles.names())
  const task = context.tasks.get(taskId)
  print(json, taskJson(task, places), taskLine(task, places))
  return exitCodes.done
}

/** The library to watch: one's own, or that of an open studio. */
interface Watching {
  tasks: Watched
  /** Swaps that may change. */
  held: readonly Task[]
  places: Places
  start: () => Promise<void>
}

/** Prints a line per change until all given swaps (default: all active ones) have ended or need the user. */
export async function watch({ tasks, held, places, start }: Watching, command: CommandOf<'watch'>): Promise<number> {
  const given = command.ids.map((id) => taskOf(tasks, id))
  const watched = given.length > 0 ? given : held.filter((task) => exitCodeOfTask(task) === null)
  const ids = watched.map(({ id }) => id)
  const givenUp = await watchTasks(tasks, ids, {
    start,
    over: (task) => exitCodeOfTask(task) !== null,
    onChange: (task) => print(command.json, taskJson(task, places), taskLine(task, places)),
  })
  return givenUp.length > 0 ? giveUp(givenUp) : exitCodeOfAll(tasks, ids)
}

/** As `watch`, in this process's library. */
export const watchOwn = (context: AppContext, command: CommandOf<'watch'>): Promise<number> =>
  watch(
    {
      ...{ tasks: context.tasks, held: context.tasks.held(), start: () => context.start() },
      places: placesOf(context.media, context.profiles.names()),
    },
    command,
  )

/** The exit code of the first swap that wasn't finished; a swap that was removed meanwhile doesn't count. */
export function exitCodeOfAll(tasks: Pick<Watched, 'named'>, taskIds: readonly string[]): number {
  const codes = taskIds.flatMap((id) => tasks.named(id)).map(exitCodeOfTask)
  return codes.find((code) => code !== null && code !== exitCodes.done) ?? exitCodes.done
}

/** Copies the kept result of a swap. Returns whether there is one. @throws MienError `usage`, as `saveFailure` */
export async function fetchKept(
  { result }: Task,
  media: Pick<MediaStore, 'path'>,
  { out }: CommandOf<'fetch'>,
): Promise<boolean> {
  const kept = result === null ? null : media.path(result.mediaId)
  await checkOut(out, kept === null ? [] : [kept])
  const size = kept === null ? null : await checkReadable(kept).catch(() => null)
  if (kept === null || size === null) return false
  const part = `${out}.part`
  try {
    await copyFile(kept, part)
    await replaceFile(part, out)
  } catch (error) {
    const { code, details } = await saveFailure(error, out, size)
    throw new MienError(code, { ...details, folder: folderName(dirname(out)) }, { cause: error })
  } finally {
    // Also of a download that broke off earlier.
    await removePart(part).catch(() => undefined)
  }
  return true
}

/**
 * Why a swap has no result that can be copied: it has none, or its file can't be read.
 * @param state as the service says, if it was asked
 */
export async function noResult(task: Task, media: Pick<MediaStore, 'path'>, state?: TaskState): Promise<MienError> {
  const { result, title } = task
  if (result === null) {
    const now = state === undefined ? task : { ...task, state, pause: null, progress: null }
    return usage(m.cli_fetch_none({ title: plain(title), state: stateText(now) }))
  }
  const path = media.path(result.mediaId)
  if (path === null) return new MienError('file-missing', { name: title })
  const error = await checkReadable(path).catch((problem: unknown) => problem)
  const { code, details } = error instanceof MienError ? error : new MienError('file-missing')
  return new MienError(code, { ...details, name: basename(path) }, { cause: error })
}

/** Copies the kept result, or else downloads it from the service. */
export async function fetchResult(context: AppContext, command: CommandOf<'fetch'>): Promise<number> {
  const { tasks, media, profiles } = context
  const task = taskOf(tasks, command.id)
  if (!(await fetchKept(task, media, command))) {
    if (task.objectId === null) throw await noResult(task, media)
    if (task.profileId === embeddedProfileId) await context.startService()
    const client = profiles.client(task.profileId)
    const answer = (await client.fetchTasks([task.objectId])).get(task.objectId)
    if (!answer?.resultUrl) {
      const status = answer?.status
      if (task.result === null && status === 'succeeded')
        throw new MienError('result-unreadable', { name: task.title, reason: 'no-address' })
      throw await noResult(task, media, status === 'unknown' ? undefined : status)
    }
    await client.download(answer.resultUrl, command.out, { wanted: 'video' })
  }
  return printFetched(task, command)
}

export function printFetched({ id }: Task, { json, out }: CommandOf<'fetch'>): number {
  print(json, { id, output: out }, out)
  return exitCodes.done
}
