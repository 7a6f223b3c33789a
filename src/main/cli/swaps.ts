/** @file The commands that send, watch and fetch swaps of the library. */
import { copyFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { MienError, type ErrorCode } from '@shared/errors.ts'
import { errorText } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { embeddedProfileId, type Task } from '@shared/task.ts'
import type { House } from '../house.ts'
import { exitCodeOfTask, exitCodes } from './exit-codes.ts'
import { named, placesOf, taskOf } from './find.ts'
import { follow } from './follow.ts'
import type { CommandOf, Source } from './library-args.ts'
import { checkOut } from './out-file.ts'
import { taskJson, taskLine } from './print.ts'
import { tell } from './tell.ts'

export async function submit(house: House, command: CommandOf<'submit'>): Promise<number> {
  const profile = named(await house.profiles.list(), command.profile)
  const { face: faceFrom, video: videoFrom } = command
  house.engine.warm()
  if (command.noFetch && profile.embedded)
    throw new MienError('usage', {
      reason: '--no-fetch only works with online services, because this computer has to download the files',
    })
  const { intake } = house
  const given = { service: profile.embedded ? null : profile.name, noFetch: command.noFetch }
  const face = await take(faceFrom, given, {
    file: (path) => intake.face(path),
    look: (url) => intake.faceAddress(url),
    unseen: (url) => intake.unseenFace(url),
  })
  const video = await take(videoFrom, given, {
    file: (path) => intake.video(path),
    look: (url) => intake.address(url),
    unseen: (url) => intake.unseenVideo(url),
  })
  // Whoever types the command answers for the face; there is no one else to ask.
  house.media.confirmFace(face.id, true, Date.now())
  if (profile.embedded) await house.startService()
  const title = (command.title ?? basename(video.name, extname(video.name))).slice(0, 200)
  const { taskId } = house.tasks.submit(
    { faceId: face.id, videoId: video.id, title, profileId: profile.id },
    // A service on the web can fetch what is on the web itself; what is here was fetched to be looked at.
    profile.embedded
      ? {}
      : {
          ...('url' in faceFrom ? { imageUrl: faceFrom.url } : {}),
          ...('url' in videoFrom ? { videoUrl: videoFrom.url } : {}),
        },
  )
  // This computer's own queue goes on where Mien is open, or watched; another service is sent to now.
  if (profile.embedded && !command.wait) return tellTask(house, taskId, command.json)
  const places = placesOf(house.media, house.profiles.names())
  const sent = (task: Task): boolean => !['queued', 'uploading', 'submitting'].includes(task.state)
  const givenUp = await follow(house, [taskId], {
    start: () => (profile.embedded ? house.tasks.start() : house.start()),
    over: (task) => exitCodeOfTask(task) !== null || (!command.wait && sent(task)),
    onChange: (task) => {
      process.stderr.write(`${taskLine(task, places)}\n`)
    },
  })
  const task = house.tasks.get(taskId)
  await tellTask(house, taskId, command.json)
  return givenUp.length > 0 ? giveUp(givenUp) : (exitCodeOfTask(task) ?? exitCodes.done)
}

function giveUp(tasks: readonly Task[]): number {
  for (const task of tasks) process.stderr.write(`${task.id}  ${m.cli_gave_up()}\n`)
  return exitCodes.service
}

/** What keeps an address from being looked at here, and need not keep a service from it. */
const notOpened: readonly ErrorCode[] = ['address-silent', 'address-refused', 'disk-full']

/**
 * A file, or what an address leads to. An address that cannot be opened here is taken all the same for an online service.
 * @param given its name, null for this computer; and whether addresses are not to be opened at all
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

async function tellTask(house: House, taskId: string, json: boolean): Promise<number> {
  const places = placesOf(house.media, house.profiles.names())
  const task = house.tasks.get(taskId)
  tell(json, taskJson(task, places), taskLine(task, places))
  return exitCodes.done
}

/** A line for each change, until everything that was named (or else everything) is over or needs somebody. */
export async function watch(house: House, command: CommandOf<'watch'>): Promise<number> {
  const watched =
    command.ids.length > 0
      ? command.ids.map((id) => taskOf(house.tasks, id))
      : house.tasks.held().filter((task) => exitCodeOfTask(task) === null)
  const places = placesOf(house.media, house.profiles.names())
  const givenUp = await follow(
    house,
    watched.map(({ id }) => id),
    {
      start: () => house.start(),
      over: (task) => exitCodeOfTask(task) !== null,
      onChange: (task) => {
        tell(command.json, taskJson(task, places), taskLine(task, places))
      },
    },
  )
  return givenUp.length > 0 ? giveUp(givenUp) : exitCodes.done
}

/** The result that was kept, or else what the service still has. */
export async function fetchResult(house: House, command: CommandOf<'fetch'>): Promise<number> {
  const task = taskOf(house.tasks, command.id)
  const kept = task.result === null ? null : house.media.path(task.result.mediaId)
  await checkOut(command.out, kept === null ? [] : [kept])
  const copied =
    kept !== null &&
    (await copyFile(kept, command.out).then(
      () => true,
      () => false,
    ))
  if (!copied) {
    if (task.objectId === null) throw new MienError('file-missing', { name: task.title })
    if (task.profileId === embeddedProfileId) await house.startService()
    const client = house.profiles.client(task.profileId)
    const answer = (await client.fetchTasks([task.objectId])).found.get(task.objectId)
    if (!answer?.resultUrl) throw new MienError('file-missing', { name: task.title })
    await client.download(answer.resultUrl, command.out, { wanted: 'video' })
  }
  tell(command.json, { id: task.id, output: command.out }, command.out)
  return exitCodes.done
}
