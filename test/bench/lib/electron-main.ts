/** @file What the mains of benches and tests have in common: the engine, and lines of JSON on stdout. */
import { join } from 'node:path'
import { app } from 'electron'
import { EngineHost } from '../../../src/main/engine/host/engine-host.ts'
import { setUpChromium } from '../../../src/main/pages/set-up-chromium.ts'

const { MIEN_BENCH_OUT: out = '', MIEN_BENCH_MODELS = '' } = process.env
export const modelsDir = MIEN_BENCH_MODELS
export const rendererDir = join(out, 'renderer')

export const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

export const createEngine = (log: (line: string) => void): EngineHost =>
  new EngineHost({ rendererDir, modelsDir, preload: join(out, 'preload/engine.cjs'), log })

/** Runs `main` when Electron is ready. Closed windows don't end the process. */
export function start(main: () => unknown): void {
  setUpChromium(app)
  app.on('window-all-closed', () => undefined)
  void app.whenReady().then(main)
}
