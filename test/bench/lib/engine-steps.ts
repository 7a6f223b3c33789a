/** @file What a process with an engine does for benches and tests: a swap and all else, by paths. */
import { mkdirSync } from 'node:fs'
import { app, BrowserWindow, nativeImage } from 'electron'
import type { CastFiles, EngineHost, MethodFiles } from '../../../src/main/engine/host/engine-host.ts'
import { createEngineSession } from '../../../src/main/engine/host/engine-window.ts'
import type { Backend, EngineProgress, RanOn } from '../../../src/shared/engine/engine.ts'
import type { ModelSpec } from '../../../src/shared/engine/models.ts'
import { defaultOptions, type SwapOptions } from '../../../src/shared/options/swap-options.ts'
import type { Clip, Range, VideoPart } from '../../../src/shared/people/people.ts'

export interface Step {
  kind:
    | 'face'
    | 'views'
    | 'video'
    | 'scan'
    | 'swap'
    | 're-render'
    | 'check'
    | 'infer'
    | 'picture'
    | 'frame'
    | 'draw'
    | 'end-gpu'
  face?: string
  /** A picture of the person that `face` has to show. */
  like?: string
  /** Instead of `face`. */
  cast?: CastFiles[]
  stay?: Clip[]
  video?: string
  /** The swap's, or the model to check. */
  method?: MethodFiles
  /** The swap's. */
  range?: Range
  proofOf?: { range: Range | null }
  /** What is swapped again, and in which file. */
  part?: VideoPart
  result?: string
  options?: SwapOptions
  aigc?: { contentProducer: string; produceId: string }
  /** Seconds. */
  time?: number
  model?: { path: string; spec: ModelSpec }
  /** Inputs of a run in the neural worker alone, and the output's name. */
  infer?: Inference
  dir: string
  /** Of a drawing of `face` in few pixels. */
  squares?: { across: number; down: number }
  /** Tells progress, one line each. */
  told?: boolean
}

interface Inference {
  /** The worker's script in the built renderer. */
  worker: string
  inputs: { name: string; type: string; dims: number[]; data: number[] }[]
  output: string
  /** Defaults to wasm. */
  backend?: Backend
}

/**
 * Runs a function in a page like the engine's, which may read a file as `media://item/file`.
 * @param document any file of the renderer; only one that exists is isolated
 */
async function runInPage<T>(
  rendererDir: string,
  document: string,
  file: string,
  work: (argument: T) => unknown,
  argument: T,
): Promise<unknown> {
  const grants = { items: new Map([['file', file]]), folders: new Map<string, string>() }
  const own = createEngineSession({ rendererDir, modelsDir: '', preload: '' }, grants)
  const window = new BrowserWindow({ show: false, webPreferences: { session: own, backgroundThrottling: false } })
  await window.loadURL(`app://engine/${document}`)
  const script = `(${work.toString()})(${JSON.stringify(argument)})`
  const result: unknown = await window.webContents.executeJavaScript(script)
  window.destroy()
  return result
}

/** Runs a model once in the engine's neural worker, without a swap. */
async function infer({ worker: script, inputs, output, backend = 'wasm' }: Inference): Promise<unknown> {
  const worker = new Worker(`/${script}`, { type: 'module' })
  const { port1, port2 } = new MessageChannel()
  worker.postMessage(port1, [port1])
  const call = (method: string, args: unknown[]): Promise<unknown> =>
    new Promise((resolve) => {
      port2.onmessage = ({ data }: MessageEvent<unknown>) => resolve(data)
      port2.postMessage({ seq: 0, method, args })
    })
  const opened = await call('open', ['model', { url: 'media://item/file', backend }])
  const given = inputs.map((input) => ({ ...input, data: Float32Array.from(input.data) }))
  const { value, error } = (await call('run', ['model', given, output])) as { value?: Float32Array; error?: string }
  const { value: ranOn } = (await call('ranOn', ['model'])) as { value?: RanOn }
  return { isolated: crossOriginIsolated, opened, error, values: value && [...value], ranOn }
}

/** A picture's colours as Chromium draws them, in few pixels: red, green and blue, in base64. */
async function draw({ across, down }: { across: number; down: number }): Promise<string> {
  const bitmap = await createImageBitmap(await (await fetch('media://item/file')).blob())
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
  if (!context) throw new Error('no canvas')
  context.drawImage(bitmap, 0, 0)
  const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height)
  const means: number[] = []
  for (let row = 0; row < down; row += 1)
    for (let column = 0; column < across; column += 1) {
      const [left, right] = [column, column + 1].map((at) => Math.round((at * width) / across)) as [number, number]
      const [top, bottom] = [row, row + 1].map((at) => Math.round((at * height) / down)) as [number, number]
      for (const channel of [0, 1, 2]) {
        let sum = 0
        for (let y = top; y < bottom; y += 1)
          for (let x = left; x < right; x += 1) sum += data[(y * width + x) * 4 + channel] ?? 0
        means.push(Math.round(sum / (right - left) / (bottom - top)))
      }
    }
  return btoa(String.fromCharCode(...means))
}

/** @param rendererDir the built renderer */
export async function runStep(
  host: EngineHost,
  rendererDir: string,
  { kind, dir, face = '', video = '', ...step }: Step,
  onProgress: (progress: EngineProgress) => void,
  /** Cancels a swap. */
  signal?: AbortSignal,
): Promise<unknown> {
  mkdirSync(dir, { recursive: true })
  switch (kind) {
    case 'scan':
      return host.scanPeople(video, dir)
    case 'face':
      return host.inspectFace(face, dir, undefined, step.like)
    case 'views':
      return host.faceViews(video, dir)
    case 'video':
      return host.inspectVideo(video, dir)
    case 'swap':
    case 're-render': {
      const {
        options = defaultOptions,
        cast = [{ pictures: [face], clips: null }],
        stay = [],
        part,
        result = '',
      } = step
      const { range = null, method = null, aigc = null, proofOf } = step
      const own = { video, dir, options, cast, stay, range, method, aigc, ...(proofOf && { proofOf }) }
      const input = { ...own, signal, onProgress }
      return part ? host.reRender({ ...input, part, result }) : host.swap(input)
    }
    case 'frame':
      return host.extractFrame(video, step.time ?? 0, dir)
    case 'draw':
      return step.squares && runInPage(rendererDir, '', face, draw, step.squares)
    case 'check':
      return step.model && host.checkModel(step.model.path, step.model.spec)
    case 'infer':
      return step.infer && runInPage(rendererDir, step.infer.worker, step.model?.path ?? '', infer, step.infer)
    // Chromium starts another one.
    case 'end-gpu':
      return app.getAppMetrics().flatMap(({ type, pid }) => (type === 'GPU' ? [process.kill(pid, 'SIGKILL')] : []))
    case 'picture': {
      const picture = nativeImage.createFromPath(face)
      return { ...picture.getSize(), bgra: picture.toBitmap().toString('base64') }
    }
  }
}
