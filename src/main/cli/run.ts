/** @file The command line: chooses the command and its folder. */
import { join } from 'node:path'
import { app } from 'electron'
import { MienError, toErrorBody } from '@shared/errors.ts'
import { ensureDataFolder } from '../machine/disk/data-folder.ts'
import { useLanguage } from '../machine/system/language.ts'
import {
  isRunCommand,
  isServerCommand,
  parseCommand,
  type LibraryCommand,
  type RunCommand,
  type ServerCommand,
} from './args/args.ts'
import { runToEnd } from './output/ending.ts'
import { exitCodeFor, exitCodes } from './output/exit-codes.ts'
import { runLibrary } from './library/library-commands.ts'
import { readsBeside, readsOnly } from './args/library-args.ts'
import { mayBeOpen } from './library/window-lock.ts'
import { helpText } from './output/help-text.ts'
import { print } from './output/output-lines.ts'
import { reportError } from './output/report-error.ts'
import { makeRunFolder } from './standalone/run-folder.ts'
import { runPeople } from './standalone/people-command.ts'
import { runSwap } from './standalone/swap-command.ts'
import { runVerify } from './standalone/verify-command.ts'

export interface CliOptions {
  args: string[]
  cwd: string
  outDir: string
  resourcesDir: string
}

/**
 * Runs one command and ends the process with its exit code. Call before the app is ready, because it sets Chromium's
 * folder.
 */
export async function runCli(options: CliOptions): Promise<void> {
  // Programs that read the output depend on its words.
  await useLanguage(options.args.includes('--json') ? 'en' : 'system')
  let command: RunCommand | LibraryCommand | ServerCommand
  try {
    const parsed = parseCommand(options.args, options.cwd)
    if (parsed.command === 'help' || parsed.command === 'version') {
      const version = app.getVersion()
      if (parsed.command === 'help') process.stdout.write(`${helpText(parsed.topic)}\n`)
      else print(options.args.includes('--json'), { version }, `Mien ${version}`)
      app.exit(exitCodes.done)
      return
    }
    command = parsed
  } catch (error) {
    const body = toErrorBody(error)
    reportError({ command: options.args[0] ?? '', json: options.args.includes('--json') }, body)
    app.exit(exitCodeFor(body))
    return
  }
  app.commandLine.appendSwitch('disable-http-cache')
  if (isRunCommand(command)) inRunFolder(command, options)
  else if (isServerCommand(command)) server(command, options)
  else library(command, options)
}

/** Runs a command that doesn't use the library. */
function inRunFolder(command: RunCommand, options: CliOptions): void {
  const libraryDir = command.dataDir ?? app.getPath('userData')
  let dir = ''
  runToEnd(command, {
    prepare: () => {
      // Verifying only reads, and the data folder may be read-only.
      dir = makeRunFolder(command.command === 'verify' ? null : command.dataDir)
      app.setPath('userData', join(dir, 'chromium'))
    },
    work: (interrupted) => {
      const run = { ...options, dir, libraryDir }
      if (command.command === 'verify') return runVerify(command, run, interrupted)
      return command.command === 'swap' ? runSwap(command, run, interrupted) : runPeople(command, run, interrupted)
    },
  })
}

function library(command: LibraryCommand, options: CliOptions): void {
  const dataDir = command.dataDir ?? app.getPath('userData')
  const dataDirGiven = command.dataDir !== null
  let isReading = false
  runToEnd(command, {
    prepare: () => {
      isReading = readsOnly(command)
      ensureDataFolder(dataDir, { given: dataDirGiven, write: !isReading })
      if (!isReading) {
        app.setPath('userData', dataDir)
        if (app.requestSingleInstanceLock()) return
        if (!readsBeside(command)) throw new MienError('forbidden', { reason: 'open' })
        isReading = true
      }
      // An open Mien may be using Chromium's files in the library's folder.
      app.setPath('userData', makeRunFolder(null))
    },
    work: (interrupted) =>
      runLibrary(
        command,
        { ...options, dataDir, dataDirGiven, isReading, takeOver: () => takeLock(dataDir) },
        interrupted,
      ),
  })
}

/** Takes the lock of a library whose window has closed. Chromium's files stay where they are. */
function takeLock(dataDir: string): boolean {
  if (mayBeOpen(dataDir)) return false
  const chromium = app.getPath('userData')
  app.setPath('userData', dataDir)
  const isTaken = app.requestSingleInstanceLock()
  app.setPath('userData', chromium)
  return isTaken
}

/** Max time until a server or a worker has put its swap back. */
const drainMs = 60_000

function server(command: ServerCommand, options: CliOptions): void {
  // Apart from the library, and from each other.
  const folder = join(app.getPath('userData'), command.command === 'worker' ? 'worker' : 'server')
  const dir = command.dataDir ?? folder
  runToEnd(command, {
    cleanUpMs: drainMs,
    prepare: () => {
      const isPair = command.command === 'pair'
      if (!isPair) ensureDataFolder(dir, { given: command.dataDir !== null, write: true })
      // Faces, videos and keys.
      process.umask(0o077)
      app.setPath('userData', isPair ? makeRunFolder(null) : join(dir, 'chromium'))
    },
    work: async (interrupted) => {
      const run = { outDir: options.outDir, resourcesDir: options.resourcesDir, dir }
      // On demand: other commands start without a server's libraries.
      switch (command.command) {
        case 'pair':
          return (await import('./server/pair-command.ts')).runPair(command, dir)
        case 'serve':
          return (await import('./server/serve-command.ts')).runServe(command, run, interrupted)
        case 'worker':
          return (await import('./server/serve-command.ts')).runWorker(command, run, interrupted)
      }
    },
  })
}
