/**
 * @file Mien in a process that all files of a test worker share, with an engine that is warm. For tests of what Mien
 * does; those of its start, its end, or its process use `launch` and `runMien`.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ConsoleMessage, ElectronApplication } from 'playwright-core'
import { outDir } from '../../scripts/build.mjs'
import { inRoot, readJson } from '../../scripts/lib/run.mjs'
import type { EngineProgress } from '../../src/shared/engine/engine.ts'
import type { Step } from '../bench/lib/engine-steps.ts'
import type { Command, Ran } from '../fixtures/command.ts'
import type { Host } from '../fixtures/host-main.ts'
import { hostMain } from '../fixtures/test-mains.ts'
import { launchElectron, opened, patienceMs, windowAt, type LaunchOptions, type Studio } from './app.ts'

/** Set in the process. */
declare const host: Host

let shared: Promise<ElectronApplication> | null = null
let output = ''

async function start(): Promise<ElectronApplication> {
  const { version } = readJson(inRoot('package.json')) as { version: string } // ours
  const app = await launchElectron([hostMain, String(process.pid), version, outDir, inRoot('resources')])
  for (const stream of [app.process().stdout, app.process().stderr])
    stream?.on('data', (text: Buffer) => (output += text.toString()))
  const own = shared
  app.process().once('exit', () => {
    if (shared === own) shared = null
  })
  return app
}

/** Max time of a quit: Mien waits for itself for some seconds. */
const quitMs = 60_000
/** Max time of a command, below the limit of a test. */
const commandMs = 300_000

/** Kills a process that does nothing any more. @returns what can be known of the cause */
async function hung(app: ElectronApplication, what: string): Promise<Error> {
  const { pid = 0 } = app.process()
  const isBusyWith = app.evaluate(() => process.getActiveResourcesInfo().join(', '))
  const main = await Promise.race([isBusyWith, delay(5000, 'no answer from main')])
  const runs = globSync(join(tmpdir(), `mien-run-${String(pid)}-*`, 'logs', 'mien.log'))
  const logs = runs.map((file) => readFileSync(file, 'utf8').slice(-2000))
  app.process().kill('SIGKILL')
  shared = null
  return new Error([`${what}. Waiting for: ${main}`, output.slice(-2000), ...logs].join('\n'))
}

/** @throws Error if Mien doesn't end; then its process is killed */
async function closed(app: ElectronApplication): Promise<void> {
  const isClosed = app
    .evaluate(() => host.close())
    .then(async () => {
      // Playwright hears of it later, and the next window must not be taken for this one.
      while (app.windows().some((page) => page.url().startsWith('app://studio/'))) await delay(20)
      return true
    })
  if (await Promise.race([isClosed, delay(quitMs, false, { ref: false })])) return
  const open = app.windows().map((page) => page.url())
  throw await hung(app, `Mien did not close within ${String(quitMs / 1000)} s; its windows: ${open.join(', ')}`)
}

/** Opens the app with a data folder, and waits until its first view can be used. One at a time. */
export async function launchWarm(options: LaunchOptions = {}): Promise<Studio> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'mien-e2e-'))
  // A failed test before this one may have left a window open, and what it left may not close.
  await closed(await (shared ??= start())).catch((error: unknown) => console.warn(error))
  const app = await (shared ??= start())
  await app.evaluate((_electron, asked) => host.open(asked), { dataDir, env: options.env ?? {} })
  const from = output.length
  const page = await windowAt(app, 'app://studio/')
  page.setDefaultTimeout(patienceMs)
  await page.getByRole('navigation').first().waitFor()
  return opened({
    ...{ app, page, dataDir },
    output: () => output.slice(from),
    quit: async ({ keep = false } = {}) => {
      await closed(app)
      if (!keep) rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  })
}

/** Runs `mien ARGS` to its end, without a process of its own. */
export async function runWarm(
  args: string[],
  { cwd, input = '', env = {} }: Pick<Command, 'cwd'> & Partial<Command>,
): Promise<Ran> {
  const app = await (shared ??= start())
  const ran = app.evaluate((_electron, command) => host.run(command), { args, cwd, input, env })
  const done = await Promise.race([ran, delay(commandMs, null, { ref: false })])
  if (!done) throw await hung(app, `mien ${args.join(' ')} did not end within ${String(commandMs / 1000)} s`)
  return done
}

/** Lets the process's engine do a step. @returns `result` or `error`; null if the process was killed on the way */
export async function runStep(step: Step, onProgress: (progress: EngineProgress) => void): Promise<object | null> {
  const app = await (shared ??= start())
  const listen = (message: ConsoleMessage): void => {
    // Nothing else warns during a step.
    if (message.type() === 'warning') onProgress(JSON.parse(message.text()) as EngineProgress)
  }
  if (step.told) app.on('console', listen)
  try {
    // As text: Playwright takes seconds for the numbers of a tensor.
    const done = await app.evaluate(
      async (_electron, asked) => JSON.stringify(await host.step(JSON.parse(asked) as Step)),
      JSON.stringify(step),
    )
    return JSON.parse(done) as object
  } catch (error) {
    if (app.process().killed) return null
    throw error
  } finally {
    app.off('console', listen)
  }
}

export const cancelStep = async (): Promise<void> =>
  (await shared)?.evaluate(() => {
    host.cancelStep()
  })

/** Ends the process as a power cut does; the next test starts another. */
export function killWarm(): void {
  void shared?.then((app) => app.process().kill('SIGKILL'))
  shared = null
}
