/**
 * @file Commands that use the library: the app's own, or that of `--data-dir`. Only one Mien at a time may change a
 * library, so commands that change it need the studio's lock; read-only ones don't.
 */
import { net, powerMonitor, session } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import { createAppContext, usualResultsFolder, type AppContext } from '../../app/app-context.ts'
import { Keychain } from '../../machine/keychain/keychain.ts'
import { openLog } from '../../machine/log/log.ts'
import { openNetwork } from '../../remote/network.ts'
import { useProxy } from '../../machine/policy/proxy.ts'
import { readPolicy } from '../../machine/policy/read-policy.ts'
import { SettingsStore } from '../../machine/settings/settings-store.ts'
import { openSystemStatus } from '../../machine/system/system-status.ts'
import { batch } from './batch.ts'
import { withdrawConsent } from './consents.ts'
import { unlessInterrupted } from '../output/ending.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { CommandOf, LibraryCommand } from '../args/args.ts'
import { mend } from './mend.ts'
import { addModels, checkModel, removeModel } from './models.ts'
import { readCommand } from './read-commands.ts'
import { addProfile, keys, removeProfile, testProfile } from './services.ts'
import { fetchResult, submit, watchOwn } from './swaps.ts'

export interface LibraryOptions {
  outDir: string
  resourcesDir: string
  /** The library's folder. */
  dataDir: string
  /** The folder was given on the command line; results are saved in it too. */
  dataDirGiven: boolean
  /** Nothing may be changed, because a studio is open, or has to be. */
  isReading: boolean
  /** Whether the studio has closed meanwhile, so that this process may change the library. */
  takeOver: () => boolean
}

/** Runs a library command. Returns its exit code. */
export async function runLibrary(
  command: LibraryCommand,
  options: LibraryOptions,
  interrupted: AbortSignal,
): Promise<number> {
  if (!options.isReading) return changeCommand(command, options, interrupted)
  const done = await unlessInterrupted(interrupted, readCommand(command, options.dataDir, options.takeOver))
  if (typeof done === 'number') return done
  process.stderr.write(`${m.cli_window_closed()}\n`)
  return changeCommand(done, options, interrupted)
}

/** After a signal, swaps continue at their service, and on this computer with the next `watch` or open window. */
async function changeCommand(
  command: LibraryCommand,
  options: LibraryOptions,
  interrupted: AbortSignal,
): Promise<number> {
  const { dataDir } = options
  const { policy } = readPolicy()
  const login = useProxy(policy.proxy, [session.defaultSession])
  const settings = new SettingsStore(dataDir, Date.now(), policy)
  const context = createAppContext({
    ...{ dataDir, settings, outDir: options.outDir, resourcesDir: options.resourcesDir },
    keychain: new Keychain(settings.install),
    signing: { dir: dataDir, files: policy.signing },
    resultsFolder: () => usualResultsFolder(settings, options.dataDirGiven ? dataDir : null),
    network: openNetwork(login),
    systemStatus: openSystemStatus({ net, powerMonitor }),
    log: openLog(dataDir, true),
  })
  if (settings.backup !== null) printReset(m.banner_settings_reset(), m.banner_reset_backup({ name: settings.backup }))
  if (context.libraryBackup !== null)
    printReset(m.banner_library_reset(), m.banner_library_backup({ name: context.libraryBackup }))
  try {
    return await unlessInterrupted(interrupted, change(context, command))
  } finally {
    await context.dispose()
  }
}

const printReset = (what: string, copy: string) => process.stderr.write(`${what} ${copy}\n`)

type Name = LibraryCommand['command']
type Change<N extends Name> = (context: AppContext, command: CommandOf<N>) => Promise<number>

/** The commands that need the whole app. The others only read (readCommand). */
const changes: { readonly [N in Name]?: Change<N> } = {
  'profile add': addProfile,
  'profile remove': removeProfile,
  'profile test': testProfile,
  'key set': keys,
  'key clear': keys,
  'key new': keys,
  'key list': keys,
  'key revoke': keys,
  'model add': addModels,
  'model remove': removeModel,
  'model check': checkModel,
  'consent withdraw': withdrawConsent,
  submit,
  batch,
  watch: watchOwn,
  fetch: fetchResult,
  mend,
}

async function change(context: AppContext, command: LibraryCommand): Promise<number> {
  // Safe: the table has the functions by their commands.
  const run = changes[command.command] as Change<Name> | undefined
  return run ? run(context, command) : exitCodes.done
}
