/** @file Connects the updates to the running studio: settings, swaps and notices. */
import { app } from 'electron'
import { embeddedProfileId, type TaskState } from '@shared/tasks/task.ts'
import type { UpdateState } from '@shared/ipc/app-state.ts'
import type { AppContext } from '../app-context.ts'
import type { Logger } from '../../machine/log/log.ts'
import type { Policy } from '../../machine/policy/policy.ts'
import type { ProxyLogin } from '../../machine/policy/proxy.ts'
import type { Notices } from '../notices.ts'
import { whyOff } from './decide.ts'
import { UpdateService } from './update-service.ts'
import { openUpdater, ownCopy, type Channel } from './updater-port.ts'

interface UpdatesDeps {
  context: AppContext
  policy: Policy
  login: ProxyLogin
  notices: Notices
  onState: (state: UpdateState) => void
  /** Quits Mien after the user asked for it. */
  quit: () => void
  log: Logger
}

const releases = 'https://github.com/mien-studio/mien/releases'

/** Base URLs of feeds: the newest release, or the release named `beta`. */
const defaultAddress: Readonly<Record<Channel, string>> = {
  stable: `${releases}/latest/download`,
  beta: `${releases}/download/beta`,
}

/** The beta channel includes stable releases. */
const channels: Readonly<Record<Channel, readonly Channel[]>> = { stable: ['stable'], beta: ['stable', 'beta'] }

/** States in which a swap makes progress by itself; in others its data is on disk. */
const under = new Set<TaskState>(['queued', 'uploading', 'submitting', 'waiting', 'processing'])

export function openUpdates({ context, policy, login, notices, onState, quit, log }: UpdatesDeps): UpdateService {
  const copy = ownCopy()
  const updates = new UpdateService({
    port: openUpdater(copy, login, log),
    choices: () => {
      const { updateCheck, updateDownload, updateChannel } = context.settings.settings
      const standing = {
        packaged: app.isPackaged,
        policy: policy.settings.updateCheck ?? null,
        wanted: updateCheck,
        copy,
      }
      return {
        off: whyOff(standing),
        places: channels[updateChannel].map((channel) => ({
          channel,
          address: policy.updateAddress ?? defaultAddress[channel],
        })),
        download: updateDownload,
      }
    },
    working: () =>
      context.tasks
        .held()
        .some(({ profileId, state, pause }) => profileId === embeddedProfileId && under.has(state) && pause === null),
    // Installing a system package needs an administrator, so only on request, never on quit.
    installsOnQuit: copy !== 'package',
    onState: (state) => {
      updateNotice(notices, state)
      onState(state)
    },
    quit,
    log,
  })
  context.tasks.onDelta(() => updates.swapsChanged())
  return updates
}

/** One notice for the step that needs the user. Shows a failure only if it may be an attack. */
function updateNotice(notices: Notices, state: UpdateState): void {
  const id = 'update'
  if (state.kind === 'available') notices.add({ id, kind: 'update-available', version: state.offer.version })
  else if (state.kind === 'ready' && !state.waiting)
    notices.add({ id, kind: 'update-ready', version: state.offer.version, onQuit: state.onQuit })
  else if (state.kind === 'failed' && suspicious.has(state.error.code))
    notices.add({ id, kind: 'update-refused', error: state.error })
  else if (state.kind !== 'checking') notices.remove(id)
}

const suspicious = new Set<string>([
  'update-unsigned',
  'update-signature',
  'update-mismatch',
  'update-foreign',
  'update-damaged',
  'update-older',
])
