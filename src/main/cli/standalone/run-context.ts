/** @file The app context of a run: without a window, in a temporary folder, so that runs and an open studio don't conflict. */
import { join } from 'node:path'
import { settingsSchema, type Settings } from '@shared/settings/settings.ts'
import { createAppContext, type AppContext } from '../../app/app-context.ts'
import { storedMeasurement } from '../../engine/benchmark/measurement.ts'
import { Keychain } from '../../machine/keychain/keychain.ts'
import { openLog } from '../../machine/log/log.ts'
import type { Policy } from '../../machine/policy/policy.ts'
import { readPolicy } from '../../machine/policy/read-policy.ts'
import { SettingsStore } from '../../machine/settings/settings-store.ts'
import { openNetwork } from '../../remote/network.ts'

export interface RunOptions {
  outDir: string
  resourcesDir: string
  /** The run's temporary folder. */
  dir: string
  /** Folder of the library: the run uses its models, settings and key, not its swaps. */
  libraryDir: string
}

/** How long a run waits for the keyring: a result must not wait long for one that is locked. */
const keyringMs = 5000

/** @param fileName of a swap's result */
export function openRun(
  { outDir, resourcesDir, dir, libraryDir }: RunOptions,
  resultsFolder: string,
  fileName?: string,
): AppContext {
  const { policy } = readPolicy()
  const settings = new SettingsStore(dir, Date.now())
  const known = storedMeasurement(libraryDir)
  if (known) settings.keep({ machine: known })
  const { credentials, credentialNames } = storedChoices(libraryDir, policy)
  settings.set({ credentials, credentialNames })
  return createAppContext({
    ...{ dataDir: dir, outDir, resourcesDir, settings, modelsDir: join(libraryDir, 'models') },
    keychain: new Keychain(settings.install, () => Promise.reject(new Error('A run keeps its key in memory.'))),
    signing: { dir: libraryDir, files: policy.signing, keychain: (id) => new Keychain(id, undefined, keyringMs) },
    resultsFolder: () => resultsFolder,
    ...(fileName === undefined ? {} : { fileName }),
    network: openNetwork(),
    log: openLog(dir, true),
  })
}

/** What the user, or a policy, chose about credentials; the defaults if the settings can't be read. */
function storedChoices(dataDir: string, policy: Policy): Pick<Settings, 'credentials' | 'credentialNames'> {
  try {
    return new SettingsStore(dataDir, Date.now(), policy, true).settings
  } catch {
    return { ...settingsSchema.parse({}), ...policy.settings }
  }
}
