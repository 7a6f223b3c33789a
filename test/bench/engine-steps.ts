/** @file What a process with an engine does for benches and tests: a swap and all else, by paths. */
import { mkdirSync } from 'node:fs'
import { BrowserWindow, nativeImage } from 'electron'
import type { CastFiles, EngineHost, MethodFiles } from '../../src/main/engine/host/engine-host.ts'
import { createEngineSession } from '../../src/main/engine/host/engine-window.ts'
import type { EngineProgress } from '../../src/shared/engine/engine.ts'
import type { ModelSpec } from '../../src/shared/engine/models.ts'
import { defaultOptions, type SwapOptions } from '../../src/shared/options/swap-options.ts'
import type { Clip, Range, VideoPart } from '../../src/shared/people/people.ts'

export interface Step {
  kind: 'face' | 'video' | 'scan' | 'swap' | 're-render' | 'check' | 'infer' | 'picture' | 'frame' | 'draw'
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
}

/** Runs a model once in the engine's neural worker, without a swap. */
async function infer(rendererDir: string, model: string, inference: Inference): Promise<unknown> {
  const grants = { items: new Map([['model.onnx', model]]), folders: new Map<string, string>() }
  const own = createEngineSession({ rendererDir, modelsDir: '', preload: '' }, grants)
  const window = new BrowserWindow({ show: false, webPreferences: { session: own, backgroundThrottling: false } })
  // Any document of the origin will do.
  await window.loadURL(`app://engine/${inference.worker}`)
  const script = `(${inPage.toString()})(${JSON.stringify(inference)})`
  const result: unknown = await window.webContents.executeJavaScript(script)
  window.destroy()
  return result
}

/** Runs in the page. */
async function inPage({ worker: script, inputs, output }: Inference): Promise<unknown> {
  const worker = new Worker(`/${script}`, { type: 'module' })
  const { port1, port2 } = new MessageChannel()
  worker.postMessage(port1, [port1])
  const call = (method: string, args: unknown[]): Promise<unknown> =>
    new Promise((resolve) => {
      port2.onmessage = ({ data }: MessageEvent<unknown>) => resolve(data)
      port2.postMessage({ seq: 0, method, args })
    })
  const opened = await call('open', ['model', { url: 'media://item/model.onnx', backend: 'wasm' }])
  const given = inputs.map((input) => ({ ...input, data: Float32Array.from(input.data) }))
  const { value, error } = (await call('run', ['model', given, output])) as { value?: Float32Array; error?: string }
  return { isolated: crossOriginIsolated, opened, error, values: value && [...value] }
}

/** A picture's colours as Chromium draws them, in few pixels: red, green and blue, in base64. */
async function draw(rendererDir: string, picture: string, squares: object): Promise<unknown> {
  const grants = { items: new Map([['picture', picture]]), folders: new Map<string, string>() }
  const own = createEngineSession({ rendererDir, modelsDir: '', preload: '' }, grants)
  const window = new BrowserWindow({ show: false, webPreferences: { session: own, backgroundThrottling: false } })
  await window.loadURL('app://engine/index.html')
  const script = `(${drawInPage.toString()})(${JSON.stringify(squares)})`
  const result: unknown = await window.webContents.executeJavaScript(script)
  window.destroy()
  return result
}

/** Runs in the page. */
async function drawInPage({ across, down }: { across: number; down: number }): Promise<string> {
  const bitmap = await createImageBitmap(await (await fetch('media://item/picture')).blob())
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
  {
    kind,
    face = '',
    like,
    video = '',
    method,
    range,
    proofOf,
    cast,
    stay,
    part,
    result = '',
    options = defaultOptions,
    model,
    infer: given,
    squares,
    dir,
    aigc,
    time = 0,
  }: Step,
  onProgress: (progress: EngineProgress) => void,
  /** Cancels a swap. */
  signal?: AbortSignal,
): Promise<unknown> {
  mkdirSync(dir, { recursive: true })
  switch (kind) {
    case 'scan':
      return host.scanPeople(video, dir)
    case 'face':
      return host.inspectFace(face, dir, undefined, like)
    case 'video':
      return host.inspectVideo(video, dir)
    case 'swap':
    case 're-render': {
      const input = {
        ...{ video, dir, options, signal, onProgress, stay: stay ?? [], ...(proofOf && { proofOf }) },
        ...{ cast: cast ?? [{ pictures: [face], clips: null }], range: range ?? null, method: method ?? null },
        aigc: aigc ?? null,
      }
      return part ? host.reRender({ ...input, part, result }) : host.swap(input)
    }
    case 'frame':
      return host.extractFrame(video, time, dir)
    case 'draw':
      return squares && draw(rendererDir, face, squares)
    case 'check':
      return model && host.checkModel(model.path, model.spec)
    case 'infer':
      return given && infer(rendererDir, model?.path ?? '', given)
    case 'picture': {
      const picture = nativeImage.createFromPath(face)
      return { ...picture.getSize(), bgra: picture.toBitmap().toString('base64') }
    }
  }
}
