/**
 * @file The command line: the same house without a window. A swap has a folder of its own, so that two at once, or
 * one beside an open studio, do not meet; its embedded service's key lives as long as it. Other commands: library.ts.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import { app } from 'electron'
import { MienError, toErrorBody } from '@shared/errors.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { notesOf } from '@shared/i18n/notes.ts'
import type { Measurement } from '@shared/machine.ts'
import { embeddedProfileId, isActive, type Task } from '@shared/task.ts'
import { buildHouse, type House } from '../house.ts'
import { Keychain } from '../keychain/keychain.ts'
import { openLog } from '../log/log.ts'
import { knownMachine } from '../machine/known-machine.ts'
import { folderName } from '../media/results-folder.ts'
import { openNetwork } from '../network.ts'
import { parseCommand, type SwapCommand } from './args.ts'
import { exitCodeFor, exitCodes } from './exit-codes.ts'
import { runLibrary } from './library.ts'
import { readsOnly, type LibraryCommand } from './library-args.ts'
import { errorJson } from './print.ts'
import { progressLine } from './progress-bar.ts'

export interface CliOptions {
  args: string[]
  cwd: string
  outDir: string
  resourcesDir: string
}

/**
 * Runs one command; call before the app is ready (it sets where Chromium keeps its files).
 * Ends the process with the command's exit code.
 */
export function runCli(options: CliOptions): void {
  let command: SwapCommand | LibraryCommand
  try {
    const parsed = parseCommand(options.args, options.cwd)
    if (parsed.command === 'help') {
      process.stdout.write(`${m.cli_usage()}\n`)
      app.exit(exitCodes.done)
      return
    }
    command = parsed
  } catch (error) {
    const body = toErrorBody(error)
    process.stderr.write(`${errorSentence(body)}\n${body.code === 'usage' ? `\n${m.cli_usage()}\n` : ''}`)
    app.exit(exitCodeFor(body.code))
    return
  }
  if (command.command === 'swap') runSwap(command, options)
  else runInLibrary(command, options)
}

/** Ends the process with the code that `work` comes to. */
function endWith(work: () => Promise<number>): void {
  // The only window is the engine's: when it crashes, a new one takes its place.
  app.on('window-all-closed', () => undefined)
  app
    .whenReady()
    .then(work)
    .then((code) => {
      app.exit(code)
    })
    .catch(() => {
      app.exit(exitCodes.engine)
    })
}

function runInLibrary(command: LibraryCommand, options: CliOptions): void {
  const dataDir = command.dataDir ?? app.getPath('userData')
  if (readsOnly(command.command)) {
    // Chromium's own files in the library's folder belong to the Mien that may be open.
    const dir = runDir(null)
    app.setPath('userData', dir)
    process.on('exit', () => {
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
    })
  } else {
    app.setPath('userData', dataDir)
    if (!app.requestSingleInstanceLock()) {
      process.stderr.write(`${m.cli_open()}\n`)
      if (command.json) print({ error: { code: 'forbidden', message: m.cli_open(), details: {} } })
      app.exit(exitCodes.engine)
      return
    }
  }
  app.commandLine.appendSwitch('disable-http-cache')
  endWith(async () => {
    try {
      return await runLibrary(command, { ...options, dataDir, dataDirGiven: command.dataDir !== null })
    } catch (error) {
      const body = toErrorBody(error)
      process.stderr.write(`${errorSentence(body)}\n`)
      if (command.json) print({ error: errorJson(body) })
      return exitCodeFor(body.code)
    }
  })
}

function runSwap(command: SwapCommand, options: CliOptions): void {
  const known = knownMachine(command.dataDir ?? app.getPath('userData'))
  const dir = runDir(command.dataDir)
  app.setPath('userData', join(dir, 'chromium'))
  app.commandLine.appendSwitch('disable-http-cache')
  // Chromium writes until the very end, so the folder goes last; what is left goes with the next run.
  process.on('exit', () => {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
  })
  endWith(() => swap(command, dir, options, known).catch((error: unknown) => report(command, null, toErrorBody(error))))
}

/** A folder of this run's own. What Chromium wrote behind an earlier run that is over goes now. */
function runDir(dataDir: string | null): string {
  const parent = dataDir ?? tmpdir()
  mkdirSync(parent, { recursive: true })
  for (const name of readdirSync(parent)) {
    const pid = Number(/^mien-run-(\d+)-/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || isAlive(pid)) continue
    rmSync(join(parent, name), { recursive: true, force: true })
  }
  return mkdtempSync(join(parent, `mien-run-${String(process.pid)}-`))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function swap(
  command: SwapCommand,
  dir: string,
  options: CliOptions,
  known: Measurement | null,
): Promise<number> {
  await ensureOutFolder(command.out)
  const house = buildHouse({
    dataDir: dir,
    outDir: options.outDir,
    resourcesDir: options.resourcesDir,
    keychain: (install) => new Keychain(install, () => Promise.reject(new Error('A run keeps its key in memory.'))),
    destination: () => ({
      folder: dirname(command.out),
      folderName: folderName(dirname(command.out)),
      fileName: basename(command.out),
    }),
    network: openNetwork(),
    embeddedName: () => m.this_computer(),
    onReading: () => undefined,
    log: openLog(dir, true),
  })
  if (known) house.settings.setMachine(known)
  let task: Task | null = null
  const interrupt = (): void => {
    if (task) house.tasks.cancel([task.id])
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    house.engine.warm()
    await house.start()
    const face = await house.intake.face(command.face)
    const video = await house.intake.video(command.video)
    // Whoever types the command answers for the face; there is no one else to ask.
    house.media.confirmFace(face.id, true, Date.now())
    const title = command.title ?? basename(command.video, extname(command.video))
    const { taskId } = house.tasks.submit({ faceId: face.id, videoId: video.id, title, profileId: embeddedProfileId })
    task = house.tasks.get(taskId)
    const ended = await untilEnded(house, taskId)
    if (ended.state === 'kept') return succeed(command, ended)
    if (ended.state === 'cancelled') {
      report(command, ended, { code: 'cancelled', details: {} })
      return exitCodes.interrupted
    }
    return report(command, ended, ended.error ?? { code: 'engine-failed', details: {} })
  } finally {
    await house.dispose()
  }
}

/** The folder of `--out` must be there, so that a typing error does not make one. */
async function ensureOutFolder(out: string): Promise<void> {
  const folder = dirname(out)
  await access(folder, constants.W_OK).catch((error: unknown) => {
    throw new MienError(
      'usage',
      { reason: `--out: ${folder} is not a folder that can be written to` },
      { cause: error },
    )
  })
}

/** Shows progress on stderr until the swap is over, or cannot be kept (a full disk waits for nobody here). */
function untilEnded(house: House, taskId: string): Promise<Task> {
  const live = process.stderr.isTTY
  let shown = -1
  return new Promise((resolve) => {
    const off = house.tasks.onDelta(({ changed }) => {
      const task = changed.find((each) => each.id === taskId)
      if (!task) return
      const tenth = task.state === 'processing' ? Math.floor((task.progress?.share ?? 0) * 10) : -1
      if (live) process.stderr.write(`\r\u001b[K${progressLine(task)}`)
      else if (tenth > shown) process.stderr.write(`${progressLine(task)}\n`)
      shown = Math.max(shown, tenth)
      if (isActive(task.state) && task.error === null && task.pause === null) return
      off()
      if (live) process.stderr.write('\n')
      resolve(task)
    })
  })
}

function succeed(command: SwapCommand, task: Task): number {
  const { result } = task
  const ms = (task.endedAt ?? task.updatedAt) - task.createdAt
  for (const note of notesOf(task)) process.stderr.write(`${note}\n`)
  if (!command.json) process.stderr.write(`${m.cli_done({ file: command.out })}\n`)
  else {
    const { width, height, frames, swappedFrames, workFps, lostSound, encoder, fellBack } = result ?? {}
    print({
      taskId: task.id,
      status: 'completed',
      output: command.out,
      width,
      height,
      frames,
      swappedFrames,
      lostSound,
      encoder,
      fellBack,
      fps: workFps,
      ms,
    })
  }
  return exitCodes.done
}

function report(command: SwapCommand, task: Task | null, error: ReturnType<typeof toErrorBody>): number {
  const sentence = errorSentence(error)
  process.stderr.write(`${sentence}\n`)
  if (command.json) {
    const status = error.code === 'cancelled' ? 'cancelled' : 'failed'
    print({
      taskId: task?.id ?? null,
      status,
      output: null,
      error: { code: error.code, message: sentence, details: error.details },
    })
  }
  return exitCodeFor(error.code)
}

const print = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
