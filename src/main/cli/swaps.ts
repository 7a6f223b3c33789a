/** @file The commands that send, watch and fetch swaps of the library. */
import { access, constants, copyFile } from 'node:fs/promises'
import { basename, dirname, extname } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { embeddedProfileId, type Task } from '@shared/task.ts'
import type { House } from '../house.ts'
import { exitCodeOfTask, exitCodes } from './exit-codes.ts'
import { named, placesOf, taskOf } from './find.ts'
import { follow } from './follow.ts'
import type { CommandOf } from './library-args.ts'
import { taskJson, taskLine } from './print.ts'
import { tell } from './tell.ts'

export async function submit(house: House, command: CommandOf<'submit'>): Promise<number> {
  const profile = named(await house.profiles.list(), command.profile)
  const { face: faceFrom, video: videoFrom } = command
  house.engine.warm()
  const face = await ('url' in faceFrom ? house.intake.faceAddress(faceFrom.url) : house.intake.face(faceFrom.path))
  const video = await ('url' in videoFrom ? house.intake.address(videoFrom.url) : house.intake.video(videoFrom.path))
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
  const places = placesOf(house.media, await house.profiles.list())
  const sent = (task: Task): boolean => !['queued', 'uploading', 'submitting'].includes(task.state)
  const ended = await follow(house, [taskId], {
    start: () => (profile.embedded ? house.tasks.start() : house.start()),
    over: (task) => exitCodeOfTask(task) !== null || (!command.wait && sent(task)),
    onChange: (task) => {
      if (!command.json) process.stderr.write(`${taskLine(task, places)}\n`)
    },
  })
  if (ended === 'interrupted') return exitCodes.interrupted
  const task = house.tasks.get(taskId)
  await tellTask(house, taskId, command.json)
  return exitCodeOfTask(task) ?? exitCodes.done
}

async function tellTask(house: House, taskId: string, json: boolean): Promise<number> {
  const places = placesOf(house.media, await house.profiles.list())
  const task = house.tasks.get(taskId)
  tell(json, taskJson(task, places), taskLine(task, places))
  return exitCodes.done
}

/** A line for each change, until everything that was named (or else everything) is over or needs somebody. */
export async function watch(house: House, command: CommandOf<'watch'>): Promise<number> {
  const { tasks } = house.tasks.snapshot()
  const watched =
    command.ids.length > 0
      ? command.ids.map((id) => taskOf(tasks, id))
      : tasks.filter((task) => exitCodeOfTask(task) === null)
  const places = placesOf(house.media, await house.profiles.list())
  const ended = await follow(
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
  return ended === 'interrupted' ? exitCodes.interrupted : exitCodes.done
}

/** The result that was kept, or else what the service still has. */
export async function fetchResult(house: House, command: CommandOf<'fetch'>): Promise<number> {
  const folder = dirname(command.out)
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new MienError('usage', { reason: `--out: ${folder} is not a folder that can be written to` }, { cause })
  })
  const task = taskOf(house.tasks.snapshot().tasks, command.id)
  const kept = task.result === null ? null : house.media.path(task.result.mediaId)
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
