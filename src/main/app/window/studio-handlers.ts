/** @file The handlers of all calls of the studio. */
import type { AllDone } from '../../machine/system/all-done.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import { appHandlers, settingsHandlers, type AppHandlerDeps } from '../ipc/handlers/app.ts'
import { consentsHandlers } from '../ipc/handlers/consents.ts'
import { credentialsHandlers } from '../ipc/handlers/credentials.ts'
import { intakeHandlers } from '../ipc/handlers/intake.ts'
import { modelsHandlers } from '../ipc/handlers/models.ts'
import { peopleHandlers } from '../ipc/handlers/people.ts'
import { presetsHandlers } from '../ipc/handlers/presets.ts'
import { keysHandlers, profilesHandlers, uploadsHandlers } from '../ipc/handlers/profiles.ts'
import { proofHandlers } from '../ipc/handlers/proof.ts'
import { queueHandlers } from '../ipc/handlers/queue.ts'
import { resultsHandlers } from '../ipc/handlers/results.ts'
import { signingHandlers } from '../ipc/handlers/signing.ts'
import { libraryHandlers, tasksHandlers, versionsHandlers } from '../ipc/handlers/tasks.ts'
import { diagnosticsHandlers, exchangeHandlers, updatesHandlers } from '../ipc/handlers/upkeep.ts'
import type { Handlers, Send } from '../ipc/register.ts'
import type { Logger } from '../../machine/log/log.ts'
import type { RecentFiles } from '../../media/recent-files.ts'
import type { UpdateService } from '../updates/update-service.ts'

export interface StudioHandlerDeps extends AppHandlerDeps {
  send: Send
  recent: RecentFiles
  allDone: AllDone
  updates: UpdateService
  diagnostics: Diagnostics
  log: Logger
  /** Paths that the system asked to open; each is returned once. */
  takeOpened: () => string[]
  /** The studio has asked for its swaps for the first time. */
  onFirstSnapshot: () => void
  /** Settings came from a file. */
  onImported: () => void
}

export function studioHandlers(deps: StudioHandlerDeps): Handlers {
  const { context, window, resourcesDir, send, log } = deps
  return {
    app: appHandlers(deps),
    intake: intakeHandlers(deps),
    consents: consentsHandlers({ context, window }),
    models: modelsHandlers({
      ...{ context, window },
      onChanged: (models) => {
        send('models', 'changed', models)
      },
      log: log.warn,
    }),
    people: peopleHandlers(context, (people) => {
      send('people', 'changed', people)
    }),
    proof: proofHandlers(context, (state) => {
      send('proof', 'changed', state)
    }),
    tasks: tasksHandlers(deps),
    queue: queueHandlers(deps.allDone),
    versions: versionsHandlers(context, (progress) => {
      send('versions', 'progress', progress)
    }),
    library: libraryHandlers(context),
    signing: signingHandlers({ identity: context.identity, window }),
    credentials: credentialsHandlers({
      context,
      window,
      verify: (path, signal) => context.credentials.verify(path, signal),
    }),
    results: resultsHandlers({
      ...{ context, window, resourcesDir },
      onProgress: (progress) => {
        send('results', 'progress', progress)
      },
    }),
    settings: {
      ...settingsHandlers(deps),
      ...exchangeHandlers({ settings: context.settings, window, onImported: deps.onImported }),
    },
    presets: presetsHandlers({
      settings: context.settings,
      window,
      onChanged: (changed) => {
        send('settings', 'changed', changed)
      },
    }),
    profiles: profilesHandlers({
      ...deps,
      foundNearby: (server) => {
        send('profiles', 'foundNearby', server)
      },
    }),
    keys: keysHandlers(deps),
    uploads: uploadsHandlers(deps),
    updates: updatesHandlers(deps.updates),
    diagnostics: diagnosticsHandlers(deps.diagnostics),
  }
}
