/** @file The handlers of all calls of the studio. */
import { appHandlers, settingsHandlers } from '../ipc/handlers/app.ts'
import { consentsHandlers } from '../ipc/handlers/consents.ts'
import { credentialsHandlers, signingHandlers } from '../ipc/handlers/credentials.ts'
import { intakeHandlers } from '../ipc/handlers/intake.ts'
import { modelsHandlers } from '../ipc/handlers/models.ts'
import { peopleHandlers, proofHandlers } from '../ipc/handlers/people.ts'
import { presetsHandlers } from '../ipc/handlers/presets.ts'
import { keysHandlers, profilesHandlers, uploadsHandlers } from '../ipc/handlers/profiles.ts'
import { resultsHandlers } from '../ipc/handlers/results.ts'
import { libraryHandlers, queueHandlers, tasksHandlers, versionsHandlers } from '../ipc/handlers/tasks.ts'
import { diagnosticsHandlers, exchangeHandlers, updatesHandlers } from '../ipc/handlers/upkeep.ts'
import type { HandlerDeps } from '../ipc/handler-deps.ts'
import type { Handlers } from '../ipc/register.ts'

export const studioHandlers = (deps: HandlerDeps): Handlers => ({
  app: appHandlers(deps),
  intake: intakeHandlers(deps),
  consents: consentsHandlers(deps),
  models: modelsHandlers(deps),
  people: peopleHandlers(deps),
  proof: proofHandlers(deps),
  tasks: tasksHandlers(deps),
  queue: queueHandlers(deps),
  versions: versionsHandlers(deps),
  library: libraryHandlers(deps),
  signing: signingHandlers(deps),
  credentials: credentialsHandlers(deps),
  results: resultsHandlers(deps),
  settings: { ...settingsHandlers(deps), ...exchangeHandlers(deps) },
  presets: presetsHandlers(deps),
  profiles: profilesHandlers(deps),
  keys: keysHandlers(deps),
  uploads: uploadsHandlers(deps),
  updates: updatesHandlers(deps),
  diagnostics: diagnosticsHandlers(deps),
})
