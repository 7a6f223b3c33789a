/**
 * @file The bench's Electron main: swaps through `EngineHost` and runs the codec alone, as told by lines of JSON on stdin,
 * answering with one line each on stdout.
 */
import { mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { app, BrowserWindow } from 'electron'
import { createEngineSession } from '../../../src/main/engine/host/engine-window.ts'
import { toErrorBody } from '../../../src/shared/errors.ts'
import { createEngine, modelsDir, rendererDir, say, start } from './electron-main.ts'
import { runStep, type Step } from './engine-steps.ts'

type OwnStep = { kind: 'codec'; video: string; dir: string } | { kind: 'end' }

/** Runs the codec alone in a window like the engine's. */
class CodecWindow {
  readonly #grants = { items: new Map<string, string>(), folders: new Map<string, string>() }
  readonly #window: BrowserWindow
  readonly #loaded: Promise<void>

  constructor(page: string) {
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

async function main(): Promise<void> {
  const host = createEngine((line) => process.stderr.write(`${line}\n`))
  let codec: CodecWindow | null = null
  const run = (step: Step | OwnStep): Promise<unknown> => {
    if (step.kind === 'end') {
      host.dispose()
      return Promise.resolve(null)
    }
    if (step.kind !== 'codec')
      return runStep(host, rendererDir, step, (progress) => {
        if (step.told) say({ progress })
      })
    mkdirSync(step.dir, { recursive: true })
    codec ??= new CodecWindow(process.env['MIEN_BENCH_PAGE'] ?? '')
    return codec.run(step.video, step.dir)
  }
  say({ ready: true })
  for await (const line of createInterface({ input: process.stdin })) {
    // Our own caller wrote it.
    const step = JSON.parse(line) as Step | OwnStep
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

start(main)
