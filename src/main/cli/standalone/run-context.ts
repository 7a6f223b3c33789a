/** @file The app context of a run: without a window, in a temporary folder, so that runs and an open studio don't conflict. */
import type { Measurement } from '@shared/engine/benchmark.ts'
import type { Settings } from '@shared/settings/settings.ts'
import { createAppContext, type AppContext, type AppContextOptions } from '../../app/app-context.ts'
import { Keychain } from '../../machine/keychain/keychain.ts'
import { openLog } from '../../machine/log/log.ts'
import { SettingsStore } from '../../machine/settings/settings-store.ts'
import { openNetwork } from '../../remote/network.ts'

export interface RunOptions {
  outDir: string
  resourcesDir: string
  /** The run's temporary folder. */
  dir: string
  /** Folder of the library, which the run doesn't use. */
  libraryDir: string
  /** Stored measurement of this computer, if any. */
  known: Measurement | null
  /** The folder of the user's models. */
  modelsDir: string
  /** The user's. */
  signing: AppContextOptions['signing']
  settings: Pick<Settings, 'credentials' | 'credentialNames'>
}

/** @param fileName of a swap's result */
export function openRun(
  { outDir, resourcesDir, dir, known, modelsDir, signing, settings: userSettings }: RunOptions,
  resultsFolder: string,
  fileName?: string,
): AppContext {
  const settings = new SettingsStore(dir, Date.now())
  if (known) settings.setMeasurement(known)
  settings.set({ credentials: userSettings.credentials, credentialNames: userSettings.credentialNames })
  return createAppContext({
    ...{ dataDir: dir, outDir, resourcesDir, settings, modelsDir, signing },
    keychain: new Keychain(settings.install, () => Promise.reject(new Error('A run keeps its key in memory.'))),
    resultsFolder: () => resultsFolder,
    ...(fileName === undefined ? {} : { fileName }),
    network: openNetwork(),
    log: openLog(dir, true),
  })
}
