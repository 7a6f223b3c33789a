/** @file A job worker: runs requests concurrently, with ports to the analysis workers. */
import type { EngineEvent, EngineRequest } from '@shared/engine/engine.ts'
import { toErrorBody } from '@shared/mien-error.ts'
import type { AnalysisMethods } from './face/analyst.ts'
import { checkModel } from './jobs/inspect/check-model.ts'
import { extractFrame } from './jobs/inspect/extract-frame.ts'
import { pictureFace } from './jobs/inspect/picture-face.ts'
import { faceViews } from './jobs/inspect/face-views.ts'
import { inspectFace } from './jobs/inspect/inspect-face.ts'
import { inspectPicture, scanPicture } from './jobs/inspect/inspect-picture.ts'
import { inspectVideo } from './jobs/inspect/inspect-video.ts'
import type { JobContext } from './jobs/job-context.ts'
import { probe } from './jobs/inspect/probe.ts'
import { reRender } from './jobs/swap/re-render.ts'
import { scanPeople } from './jobs/inspect/scan-people.ts'
import { swap } from './jobs/swap/swap.ts'
import { swapPicture } from './jobs/swap/swap-picture.ts'
import { isPicture } from './media/demux/animation.ts'
import { Caller } from './common/rpc.ts'
import { prepareSource } from './source/prepare-source.ts'

export type WorkerMessage =
  | { type: 'analyst'; ports: [MessagePort, ...MessagePort[]] }
  | { type: 'run'; request: EngineRequest }
  | { type: 'cancel'; id: string }
  /** Prepares a face before a swap that is likely to use it. */
  | { type: 'prepare'; source: string }

let analyst: Caller<AnalysisMethods> | null = null
const running = new Map<string, AbortController>()

const emit = (event: EngineEvent): void => {
  self.postMessage(event)
}

self.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
  switch (data.type) {
    case 'analyst':
      analyst = new Caller(...data.ports)
      break
    case 'run':
      void run(data.request)
      break
    case 'prepare':
      // The swap that uses the face reports the error.
      if (analyst) prepareSource([data.source], analyst, new AbortController().signal).catch(() => undefined)
      break
    case 'cancel':
      running.get(data.id)?.abort()
      break
  }
}

/** Drops events of a cancelled job. */
const emitWhile =
  (signal: AbortSignal) =>
  (event: EngineEvent): void => {
    if (!signal.aborted) emit(event)
  }

async function run(request: EngineRequest): Promise<void> {
  if (!analyst) throw new Error('the analysis worker comes first')
  const controller = new AbortController()
  running.set(request.id, controller)
  try {
    const { signal } = controller
    // End a cancelled job at once; its pending work may take longer to stop.
    const cancelled = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(new DOMException('cancelled', 'AbortError'))
      })
    })
    emit(await Promise.race([answer(request, { analyst, emit: emitWhile(signal), signal }), cancelled]))
  } catch (error) {
    const body = controller.signal.aborted ? { code: 'cancelled' as const, details: {} } : toErrorBody(error)
    // Unexpected errors here are the engine's, so report them as `engine-failed`.
    emit({
      type: 'failed',
      id: request.id,
      error: body.code === 'internal' ? { ...body, code: 'engine-failed' } : body,
    })
  } finally {
    running.delete(request.id)
  }
}

async function answer(request: EngineRequest, context: JobContext): Promise<EngineEvent> {
  const { id } = request
  const { signal } = context
  switch (request.kind) {
    case 'inspect-face':
      return { type: 'face-inspected', id, result: await inspectFace(request, context) }
    case 'face-views':
      return { type: 'face-views-taken', id, result: await faceViews(request, context) }
    case 'inspect-video': {
      const inspect = (await isPicture(request.source, signal)) ? inspectPicture : inspectVideo
      return { type: 'video-inspected', id, result: await inspect(request, context) }
    }
    case 'extract-frame':
      await extractFrame(request, context)
      return { type: 'frame-extracted', id, result: null }
    case 'picture-face':
      await pictureFace(request, context)
      return { type: 'face-pictured', id, result: null }
    case 'swap': {
      // A video that can't be read is reported after problems of the face.
      const isStill = await isPicture(request.video, signal).catch(() => false)
      return { type: 'swapped', id, result: await (isStill ? swapPicture : swap)(request, context) }
    }
    case 're-render':
      return { type: 're-rendered', id, result: await reRender(request, context) }
    case 'scan-people':
      return {
        ...{ type: 'people-scanned', id },
        result: await ((await isPicture(request.source, signal)) ? scanPicture : scanPeople)(request, context),
      }
    case 'probe':
      return { type: 'probed', id, result: await probe(context.signal) }
    case 'check-model':
      return { type: 'model-checked', id, result: await checkModel(request) }
  }
}
