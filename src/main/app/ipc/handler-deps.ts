/** @file What the handlers of the studio's calls need. */
import type { BrowserWindow } from 'electron'
import type { WindowAction } from '@shared/actions/actions.ts'
import type { MenuOffer } from '@shared/ipc/app-state.ts'
import type { Settings } from '@shared/settings/settings.ts'
import type { AllDone } from '../../machine/system/all-done.ts'
import type { Logger } from '../../machine/log/log.ts'
import type { RecentFiles } from '../../media/recent-files.ts'
import type { AppContext } from '../app-context.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import type { Notices } from '../notices.ts'
import type { UpdateService } from '../updates/update-service.ts'
import type { Send } from './register.ts'

export interface HandlerDeps extends InfoDeps {
  /** Sends an event to the studio. */
  send: Send
  window: () => BrowserWindow | null
  notices: Notices
  recent: RecentFiles
  allDone: AllDone
  updates: UpdateService
  diagnostics: Diagnostics
  log: Logger
  resourcesDir: string
  /** Current results folder. */
  resultsFolder: () => string
  onSettings: (settings: Settings) => void
  /** Settings came from a file. */
  onImported: () => void
  /** Called after the results folder has changed. */
  onResultsFolder: () => void
  /** Retries starting the embedded service now. */
  retryService: () => void
  onOffer: (offer: MenuOffer) => void
  runInWindow: (name: WindowAction) => void
  /** Called after each load of the page. */
  onDrawn: () => void
  /** Called when the page's first frame is on the screen. */
  onPainted: () => void
  /** Takes the paths of files that the system asked to open. */
  takeOpened: () => string[]
}

/** What `appInfo` needs. */
export interface InfoDeps {
  context: AppContext
  keychainReady: () => boolean
  canRunInBackground: () => boolean
}
