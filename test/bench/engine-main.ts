/**
 * @file The bench's Electron main: swaps through `EngineHost` and runs the codec alone, as told by lines of JSON on stdin,
 * answering with one line each on stdout.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { app, BrowserWindow, nativeImage } from 'electron'
import { EngineHost, type CastFiles, type MethodFiles } from '../../src/main/engine/engine-host.ts'
import { createEngineSession } from '../../src/main/engine/engine-window.ts'
import { registerSchemes } from '../../src/main/protocol/app-protocol.ts'
import type { EngineProgress } from '../../src/shared/engine/engine.ts'
import { toErrorBody } from '../../src/shared/errors.ts'
import type { ModelSpec } from '../../src/shared/engine/models.ts'
import { defaultOptions, type SwapOptions } from '../../src/shared/options/swap-options.ts'
import type { Clip, Range, VideoPart } from '../../src/shared/people/people.ts'

interface Step {
  kind: 'face' | 'video' | 'scan' | 'swap' | 're-render' | 'codec' | 'check' | 'infer' | 'picture' | 'frame' | 'end'
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
  cancelAfterMs?: number
  /** Kills the engine window's process so long after the swapping began. */
  crashAfterMs?: number
  /** Tells progress, one line each. */
  told?: boolean
}

const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

registerSchemes()
// Root on a test machine runs with --no-sandbox, which contradicts this.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()

/** Runs the codec alone in a window like the engine's. */
class CodecWindow {
  readonly #grants = { items: new Map<string, string>(), folders: new Map<string, string>() }
  readonly #window: BrowserWindow
  readonly #loaded: Promise<void>

  constructor(page: string, modelsDir: string) {
    const own = createEngineSession({ rendererDir: page, modelsDir, preload: '' }, this.#grants)
    this.#window = new BrowserWindow({ show: false, webPreferences: { session: own, backgroundThrottling: false } })
    this.#loaded = this.#window.loadURL('app://engine/index.html')
  }

  async run(video: string, dir: string): Promise<unknown> {
    await this.#loaded
    this.#grants.items.set('video.mp4', video)
    this.#grants.folders.set('job', dir)
    return this.#window.webContents.executeJavaScript("codecAlone('media://item/video.mp4', 'media://job/job')")
  }
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

async function main(): Promise<void> {
  const { MIEN_BENCH_OUT: out = '', MIEN_BENCH_PAGE: page = '', MIEN_BENCH_MODELS: modelsDir = '' } = process.env
  const host = new EngineHost({
    rendererDir: join(out, 'renderer'),
    modelsDir,
    preload: join(out, 'preload/engine.cjs'),
    log: (line) => process.stderr.write(`${line}\n`),
  })
  let codec: CodecWindow | null = null
  const run = async ({
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
    dir,
    cancelAfterMs,
    crashAfterMs,
    told,
    aigc,
    time = 0,
  }: Step): Promise<unknown> => {
    mkdirSync(dir, { recursive: true })
    const signal = cancelAfterMs === undefined ? undefined : AbortSignal.timeout(cancelAfterMs)
    let crash = crashAfterMs ?? null
    const onProgress = (progress: EngineProgress): void => {
      if (told) say({ progress })
      if (crash === null || progress.stage !== 'swapping') return
      setTimeout(() => {
        BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer()
      }, crash)
      crash = null
    }
    switch (kind) {
      case 'scan':
        return host.scanPeople(video, dir, signal ? { signal } : {})
      case 'face':
        return host.inspectFace(face, dir, signal, like)
      case 'video':
        return host.inspectVideo(video, dir, signal)
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
      case 'check':
        return model && host.checkModel(model.path, model.spec, signal)
      case 'infer':
        return given && infer(join(out, 'renderer'), model?.path ?? '', given)
      case 'picture': {
        const picture = nativeImage.createFromPath(face)
        return { ...picture.getSize(), bgra: picture.toBitmap().toString('base64') }
      }
      case 'codec':
        codec ??= new CodecWindow(page, modelsDir)
        return codec.run(video, dir)
      case 'end':
        host.dispose()
        return null
    }
  }
  say({ ready: true })
  for await (const line of createInterface({ input: process.stdin })) {
    // Our own caller wrote it.
    const step = JSON.parse(line) as Step
    const started = performance.now()
    try {
      say({ result: await run(step), ms: performance.now() - started })
    } catch (error) {
      say({ error: toErrorBody(error), ms: performance.now() - started })
    }
    if (step.kind === 'end') break
  }
  app.exit(0)
}

app.on('window-all-closed', () => undefined)
void app.whenReady().then(main)
