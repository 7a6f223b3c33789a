/** @file The command line: chooses the command and its folder. */
import { join } from 'node:path'
import { app } from 'electron'
import { MienError, toErrorBody, type ErrorBody } from '@shared/errors.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { ensureDataFolder } from '../data/data-folder.ts'
import { storedMeasurement } from '../benchmark/stored-measurement.ts'
import { useLanguage } from '../system/language.ts'
import { parseCommand, type PeopleCommand, type SwapCommand } from './args.ts'
import { runToEnd } from './ending.ts'
import { exitCodeFor, exitCodes } from './exit-codes.ts'
import { runLibrary } from './library-commands.ts'
import { readsOnly, type LibraryCommand } from './library-args.ts'
import { errorJson, jsonLine } from './output-lines.ts'
import { makeRunFolder } from './run-folder.ts'
import { runPeople } from './people-command.ts'
import { reportSwap, runSwap } from './swap-command.ts'

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
export function runCli(options: CliOptions): void {
  // Programs that read the output depend on its words.
  useLanguage(options.args.includes('--json') ? 'en' : 'system')
  let command: SwapCommand | PeopleCommand | LibraryCommand
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
    if (options.args.includes('--json')) process.stdout.write(jsonLine({ error: errorJson(body) }))
    app.exit(exitCodeFor(body))
    return
  }
  app.commandLine.appendSwitch('disable-http-cache')
  if (command.command === 'swap' || command.command === 'people') inRunFolder(command, options)
  else library(command, options)
}

/** Runs a command that doesn't use the library. */
function inRunFolder(command: SwapCommand | PeopleCommand, options: CliOptions): void {
  const dataDir = command.dataDir ?? app.getPath('userData')
  const known = storedMeasurement(dataDir)
  const modelsDir = join(dataDir, 'models')
  let dir = ''
  runToEnd({
    report: (error) => {
      if (command.command === 'swap') reportSwap(command, error)
      else report(command, error)
    },
    prepare: () => {
      dir = makeRunFolder(command.dataDir)
      app.setPath('userData', join(dir, 'chromium'))
    },
    work: (interrupted) => {
      const run = { ...options, dir, known, modelsDir }
      return command.command === 'swap' ? runSwap(command, run, interrupted) : runPeople(command, run, interrupted)
    },
  })
}

function library(command: LibraryCommand, options: CliOptions): void {
  const dataDir = command.dataDir ?? app.getPath('userData')
  const dataDirGiven = command.dataDir !== null
  runToEnd({
    report: (error) => {
      report(command, error)
    },
    prepare: () => {
      const reads = readsOnly(command.command)
      ensureDataFolder(dataDir, { given: dataDirGiven, write: !reads })
      // An open Mien may be using Chromium's files in the library's folder.
      app.setPath('userData', reads ? makeRunFolder(null) : dataDir)
      if (!reads && !app.requestSingleInstanceLock()) throw new MienError('forbidden', { reason: 'open' })
    },
    work: (interrupted) => runLibrary(command, { ...options, dataDir, dataDirGiven }, interrupted),
  })
}

function report({ json }: PeopleCommand | LibraryCommand, error: ErrorBody): void {
  const isInterrupted = error.code === 'cancelled'
  const told = { ...errorJson(error), ...(isInterrupted ? { message: m.cli_interrupted() } : {}) }
  process.stderr.write(`${told.message}\n`)
  if (json) process.stdout.write(jsonLine({ ...(isInterrupted ? { status: 'cancelled' } : {}), error: told }))
}
