/**
 * @file `mien swap`: a swap in a temporary folder. The embedded service's key exists only during the run.
 */
import { basename, dirname, extname } from 'node:path'
import { m } from '@shared/i18n/paraglide/messages.js'
import { notesOf } from '@shared/i18n/notes.ts'
import { maxPictures } from '@shared/options/default-options.ts'
import { embeddedProfileId, isActive, type Draft, type Task, type TaskResult } from '@shared/tasks/task.ts'
import type { AppContext } from '../../app/app-context.ts'
import { removePart } from '../../remote/client/transport/download.ts'
import type { CommandOf } from '../args/args.ts'
import { withPersonIds } from '../args/cast.ts'
import { giveConsents, refuseWithdrawn } from '../library/consents.ts'
import { unlessInterrupted } from '../output/ending.ts'
import { checkedMethod, printModelTime } from '../library/models.ts'
import { takeInOrder } from '../library/swaps.ts'
import { exitCodeFor, exitCodes } from '../output/exit-codes.ts'
import { checkPaths } from '../output/check-paths.ts'
import { checkExtension, within, type FaceArgs } from '../args/swap-args.ts'
import { consentsJson, jsonLine } from '../output/output-lines.ts'
import { progressLine, ProgressOutput } from '../output/progress-output.ts'
import { reportError } from '../output/report-error.ts'
import { openRun, type RunOptions } from './run-context.ts'

/** Returns the exit code. An interrupted swap leaves no files. */
export async function runSwap(
  command: CommandOf<'swap'>,
  options: RunOptions,
  interrupted: AbortSignal,
): Promise<number> {
  const { faces, out } = command
  await checkPaths('swap', out, [...faces.flatMap(({ pictures }) => pictures), command.video])
  const context = openRun(options, dirname(out), basename(out))
  const run: { task: Task | null; began: number } = { task: null, began: 0 }
  const progress = new ProgressOutput()
  const work = async (): Promise<Task> => {
    context.engine.warm()
    progress.show(0, progressLine({ state: 'queued', progress: null, result: null }))
    await context.start()
    const method = await checkedMethod(context, command.method)
    const cast = await takeInOrder(faces, (face) => takeFace(context, face))
    const [{ faceId, pictureIds }] = cast
    const pictures = cast.flatMap((each) => [each.faceId, ...each.pictureIds])
    const { media } = context
    refuseWithdrawn(
      options.libraryDir,
      pictures.map((id) => ({ key: media.faceKey(id), name: media.face(id).name })),
    )
    await giveConsents(context, pictures, command.consent)
    const video = await context.intake.video(command.video)
    checkExtension(command.out, video)
    const isCast = faces[0].personId !== null
    const found = isCast ? await context.people.complete(video.id) : null
    const title = command.title ?? basename(command.video, extname(command.video))
    const draft: Draft = {
      ...{ faceId, pictureIds, cast: found ? withPersonIds(found.people, cast) : [] },
      ...{ videoId: video.id, range: within(command.range, video.durationMs) },
      ...{ title, profileId: embeddedProfileId, options: { ...command.options, method } },
    }
    await printModelTime(context, draft, found)
    const { taskId } = context.tasks.submit(draft)
    run.task = context.tasks.get(taskId)
    run.began = performance.now()
    return untilEnded(context, taskId, progress)
  }
  let ended: Task
  try {
    ended = await unlessInterrupted(interrupted, work()).finally(() => progress.stop())
  } catch (error) {
    await context.dispose()
    // The result may have been saved completely before the signal.
    const saved = run.task && context.tasks.get(run.task.id)
    if (saved?.state === 'kept') return succeed(command, saved, performance.now() - run.began)
    await removePart(`${command.out}.part`)
    throw error
  }
  const tookMs = performance.now() - run.began
  await context.dispose()
  if (ended.state === 'kept') return succeed(command, ended, tookMs)
  await removePart(`${command.out}.part`)
  const code = ended.state === 'cancelled' ? 'cancelled' : ended.pause === 'disk-full' ? 'disk-full' : 'engine-failed'
  const body = ended.error ?? { code, details: {} }
  reportError({ ...command, taskId: ended.id }, body)
  return exitCodeFor(body)
}

/** Imports the pictures of a face. */
async function takeFace({ intake }: AppContext, { personId, pictures: [first, ...more] }: FaceArgs) {
  const pictures = await intake.faceFile(first)
  for (const path of more) pictures.push(...(await intake.faceFile(path, { like: first })))
  const [face, ...others] = pictures
  return { personId: personId ?? '', faceId: face.id, pictureIds: others.slice(0, maxPictures - 1).map(({ id }) => id) }
}

/** Shows progress on stderr until the swap ends or is blocked (e.g. by a full disk, which nobody fixes here). */
function untilEnded(context: AppContext, taskId: string, progress: ProgressOutput): Promise<Task> {
  return new Promise((resolve) => {
    const off = context.tasks.onDelta(({ changed }) => {
      const task = changed.find((each) => each.id === taskId)
      if (!task) return
      const share = task.state === 'kept' ? 1 : task.state === 'processing' ? (task.progress?.share ?? 0) : 0
      progress.show(share, progressLine(task))
      if (isActive(task.state) && task.error === null && task.pause === null) return
      off()
      resolve(task)
    })
  })
}

function succeed(command: CommandOf<'swap'>, task: Task, tookMs: number): number {
  for (const note of notesOf(task)) process.stderr.write(`${note}\n`)
  if (!command.json) process.stderr.write(`${m.cli_done({ file: command.out })}\n`)
  else {
    const facts = { ...(task.result && factsOf(task.result)), ms: Math.round(tookMs), consents: consentsJson(task) }
    process.stdout.write(jsonLine({ taskId: task.id, status: 'completed', output: command.out, ...facts }))
  }
  return exitCodes.done
}

const factsOf = ({ model = null, workFps: fps, ...result }: TaskResult) => ({
  width: result.width,
  height: result.height,
  frames: result.frames,
  swappedFrames: result.swappedFrames,
  lostSound: result.lostSound,
  missing: result.missing,
  encoder: result.encoder,
  fellBack: result.fellBack,
  model,
  fps,
})
