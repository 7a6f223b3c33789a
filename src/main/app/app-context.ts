/**
 * @file Composition root: creates every service with its dependencies. Used by both the window and the command line,
 * with different options.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app, powerSaveBlocker } from 'electron'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { getLocale } from '@shared/i18n/paraglide/runtime.js'
import { InFlight } from '@shared/in-flight.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { embeddedProfileId } from '@shared/tasks/task.ts'
import { privateMode } from '../machine/disk/data-folder.ts'
import { folderName } from '../machine/disk/files.ts'
import { C2paThread } from '../provenance/c2pa-thread.ts'
import { Credentials } from '../provenance/credentials.ts'
import { SigningFile } from '../provenance/signing-file.ts'
import { SigningIdentity } from '../provenance/signing-identity.ts'
import type { Keychain } from '../machine/keychain/keychain.ts'
import { KeyVault } from '../machine/keychain/key-vault.ts'
import { EngineHost, type EnginePort } from '../engine/host/engine-host.ts'
import { KeepAwake } from '../machine/system/keep-awake.ts'
import type { EmbeddedService } from '../service/embedded/embedded-service.ts'
import type { Logger } from '../machine/log/log.ts'
import { Consents } from '../media/consent/consents.ts'
import { EngineBenchmark } from '../engine/benchmark/engine-benchmark.ts'
import { thisComputer } from '../engine/benchmark/this-computer.ts'
import type { Network } from '../remote/network.ts'
import { Intake } from '../media/intake.ts'
import { MediaStore } from '../media/media-store.ts'
import { samplePaths } from '../media/sample.ts'
import { PeopleService } from '../media/people/people-service.ts'
import { PeopleStore } from '../media/people/people-store.ts'
import { ModelMethods } from '../engine/models/model-methods.ts'
import { ModelStore } from '../engine/models/model-store.ts'
import { ProofService } from '../swaps/proof/proof-service.ts'
import { Profiles } from '../remote/profiles/profiles.ts'
import type { SettingsStore } from '../machine/settings/settings-store.ts'
import { withLabel } from '../machine/settings/swap-label.ts'
import { Library } from '../swaps/library.ts'
import { openLibrary } from '../swaps/store/library-db.ts'
import { alwaysOnline, type SystemStatus } from '../machine/system/system-status.ts'
import { TaskService } from '../swaps/task-service.ts'
import { tidyLater } from '../swaps/store/tidy.ts'
import { TaskStore } from '../swaps/store/task-store.ts'
import { uploadTable } from '../remote/uploads/upload-table.ts'
import { VersionService } from '../swaps/versions/version-service.ts'
import { BucketUploads } from '../remote/uploads/uploads.ts'

export interface AppContextOptions {
  /** Folder for all persistent data. */
  dataDir: string
  /** Built renderer and preloads, and `resources`. */
  outDir: string
  resourcesDir: string
  /** Folder of the user's models; defaults to one in the data folder. */
  modelsDir?: string
  settings: SettingsStore
  keychain: Keychain
  resultsFolder: () => string
  /** Name of the only result, which may overwrite a file. */
  fileName?: string
  network: Network
  /** Defaults to always online and never asleep. */
  systemStatus?: SystemStatus
  signing: {
    /** Folder of this copy's certificates. */
    dir: string
    /** PEM files of an organisation's certificate and key, set by policy. */
    files: { certificate: string; key: string } | null
    /** Defaults to `keychain`, where the keys for signing have their own entries. */
    keychain?: (id: string) => Keychain
  }
  /** How much of a linked video is downloaded. */
  onDownload?: (share: number | null) => void
  /** A consent was given, changed or withdrawn. */
  onConsents?: () => void
  log: Logger
}

export type AppContext = ReturnType<typeof createAppContext>

/** Where results are saved: where the user chose, or in the data folder that was given on the command line. */
export const usualResultsFolder = (settings: SettingsStore, givenDir: string | null): string =>
  settings.resultsFolder ?? (givenDir === null ? join(app.getPath('videos'), 'Mien') : join(givenDir, 'results'))

/** The operating system's name for people. */
const systemName = { darwin: 'macOS', win32: 'Windows' }[process.platform as string] ?? 'Linux'

/** User id of the embedded service, which has a single user. */
const embeddedUserId = '1'
/** Max time to wait on quit for a start of the embedded service. */
const startMs = 3000

export function createAppContext(options: AppContextOptions) {
  const { dataDir, settings, keychain, log } = options
  const builtAt = Date.now()
  const mediaDir = join(dataDir, 'media')
  mkdirSync(mediaDir, { recursive: true, mode: privateMode })
  const { db, backup } = openLibrary(join(dataDir, 'library.db'), Date.now())
  const store = new TaskStore(db, log.warn)
  const media = new MediaStore(db)
  const vault = new KeyVault(keychain)
  const engine: EngineHost = new EngineHost({
    rendererDir: join(options.outDir, 'renderer'),
    modelsDir: join(options.resourcesDir, 'models'),
    preload: join(options.outDir, 'preload', 'engine.cjs'),
    log: log.info,
    onRequest: (kind, signal) => benchmark.begun(kind, signal),
  })
  const { warn } = log
  const models = new ModelStore({ dir: options.modelsDir ?? join(dataDir, 'models'), now: Date.now, log: warn })
  const benchmark = new EngineBenchmark({
    engine,
    facts: thisComputer(),
    sample: samplePaths(options.resourcesDir),
    dir: join(dataDir, 'measuring'),
    stored: () => settings.measurement,
    store: (measured) => settings.keep({ machine: measured }),
    now: Date.now,
    log: warn,
  })
  const keepAwake = new KeepAwake(powerSaveBlocker)
  benchmark.onChanged(() => keepAwake.set(benchmark.isSwapping))
  const systemStatus = options.systemStatus ?? alwaysOnline
  const stopListening = systemStatus.onChange((event) => {
    if (event === 'resume') engine.resumed()
  })
  const methods = new ModelMethods(models, engine)
  const labelled = (options: SwapOptions): SwapOptions =>
    withLabel(options, { settings: settings.settings, locked: settings.locked, language: getLocale() })
  const swapByMethod: EnginePort['swap'] = async (job) => {
    const method = await methods.of(job.options)
    const { contentProducer } = settings.settings
    const aigc = { contentProducer, produceId: job.id ?? '' }
    const result = await benchmark.swap({ ...job, aigc, method: method?.files ?? null })
    return { ...result, model: method?.used ?? null }
  }
  let service: EmbeddedService | null = null
  const makeService = async (): Promise<EmbeddedService> => {
    // Loaded when it starts: the window doesn't need it.
    const { EmbeddedService } = await import('../service/embedded/embedded-service.ts')
    return new EmbeddedService({
      dir: join(dataDir, 'service'),
      // The label that a policy requires is on the swaps of every client.
      engine: {
        swap: (job) =>
          swapByMethod(settings.locked.includes('label') ? { ...job, options: labelled(job.options) } : job),
      },
      methods: () => methods.usable(),
      fetch: options.network.fetch,
      sentence: errorSentence,
      log: warn,
    })
  }
  let embedded: { baseUrl: string; adminToken: string } | null = null
  const profiles = new Profiles({
    settings,
    vault,
    network: options.network,
    embedded: () => embedded,
    embeddedName: () => m.this_computer(),
  })
  const uploads = new BucketUploads({
    table: uploadTable(db),
    targets: {
      get: (id) => settings.uploadTarget(id),
      set: (id, target) => settings.setUploadTarget(id, target),
      isLocked: (id) => settings.isUploadTargetLocked(id),
    },
    vault,
    fetch: options.network.fetch,
    log: warn,
  })
  const people = new PeopleService({
    ...{ media, engine, log: warn },
    store: new PeopleStore(db),
    dir: join(dataDir, 'people'),
  })
  const proof = new ProofService({
    ...{ media, people, engine: { swap: swapByMethod }, log: warn },
    dir: join(dataDir, 'proof'),
  })
  const identity = new SigningIdentity({
    ...{ files: options.signing.files, log: warn, now: Date.now },
    file: new SigningFile(options.signing.dir),
    keychain: options.signing.keychain ?? ((id) => keychain.ofInstall(id)),
  })
  const credentials = new Credentials({
    thread: new C2paThread({
      script: join(options.outDir, 'main', 'credentials-worker.js'),
      wasm: join(options.outDir, 'main', 'c2pa.wasm.br'),
    }),
    ...{ identity, media, version: app.getVersion(), system: systemName, log: warn, now: Date.now },
    settings: () => {
      const { credentials: choice, credentialNames } = settings.settings
      return { isOn: choice !== 'off', isRequired: choice === 'required', withNames: credentialNames }
    },
    serviceName: (profileId) => profiles.names().get(profileId) ?? '',
  })
  const tasks = new TaskService({
    ...{ store, people, labelled, signer: credentials },
    services: profiles,
    media,
    mediaDir: (taskId) => join(mediaDir, taskId),
    destination: () => {
      const folder = options.resultsFolder()
      const { fileName: template } = settings.settings
      return { folder, folderName: folderName(folder), fileName: options.fileName ?? null, template }
    },
    systemStatus,
    uploads,
    measured: () => benchmark.measured,
    log: warn,
  })
  const consents = new Consents({
    ...{ media, log: warn, now: Date.now },
    dir: join(dataDir, 'consents'),
    name: {
      get: () => settings.settings.consentName,
      set: (consentName) => settings.set({ consentName }),
    },
    stopSwaps: () => tasks.stopWithdrawn(),
    onChanged: options.onConsents ?? (() => undefined),
  })
  const versions = new VersionService({
    ...{ tasks, media, methods, engine, signer: credentials, log: warn, now: Date.now },
    clipsOf: (taskId) => store.clips(taskId),
    has: (taskId) => store.has(taskId),
    dir: join(dataDir, 'versions'),
  })
  profiles.onChanged((trouble) => {
    if (trouble === null) return
    const { profileId, code } = trouble
    tasks.pauses
      .pauseAll(profileId, code)
      .catch((error: unknown) => log.warn(`Holding the swaps of a service failed (${code})`, error))
  })
  const library = new Library(db, { store, tasks, serviceNames: () => profiles.names() })
  const intake = new Intake({
    engine,
    media,
    dir: mediaDir,
    fetch: options.network.fetch,
    onDownload: options.onDownload ?? (() => undefined),
  })
  let stopTidying: (() => Promise<void>) | null = null
  const startEmbedded = async (): Promise<void> => {
    service ??= await makeService()
    const address = await service.start()
    // In memory only, so that a keychain that is locked or doesn't answer can't stop swaps on this computer.
    await vault.set(embeddedProfileId, await service.createKey(embeddedUserId), 'session')
    // Last: as soon as there is an address, swaps are polled, and a missing key would pause them.
    embedded = address
  }
  const inFlight = new InFlight()
  let starting: Promise<void> | null = null
  const startService = (): Promise<void> => {
    starting ??= inFlight.add(startEmbedded()).catch((error: unknown) => {
      starting = null
      throw error
    })
    return starting
  }

  return {
    settings,
    /** File name of the backup when a damaged library was moved aside; else null. */
    libraryBackup: backup,
    vault,
    keychain,
    media,
    consents,
    models,
    methods,
    engine,
    benchmark,
    profiles,
    uploads,
    tasks,
    library,
    intake,
    people,
    proof,
    versions,
    credentials,
    identity,
    /** Starts the embedded service, if needed, and creates its key. Can be retried after a failure. */
    startService,
    /** Starts the embedded service, then resumes unfinished tasks. */
    start: async (): Promise<void> => {
      await startService()
      await tasks.start()
      stopTidying ??= tidyLater(
        {
          ...{ store, media, mediaDir, log: warn },
          tidyPeople: () => people.tidy(),
          onForgotten: () => tasks.wake(),
        },
        builtAt,
      )
    },
    dispose: async (): Promise<void> => {
      stopListening()
      keepAwake.set(false)
      benchmark.dispose()
      await stopTidying?.()
      await proof.dispose()
      await people.dispose()
      await versions.dispose()
      await models.dispose()
      await consents.dispose()
      await tasks.dispose()
      await credentials.dispose()
      await identity.dispose()
      await inFlight.settled(startMs)
      await service?.dispose()
      engine.dispose()
      db.close()
      await keychain.settled()
    },
  }
}
