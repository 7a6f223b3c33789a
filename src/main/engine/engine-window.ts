/** @file The hidden window that does the work: its session, its locks, and the wire to it. */
import { randomUUID } from 'node:crypto'
import { app, BrowserWindow, session, type Session } from 'electron'
import { engineChannels, engineEventSchema, type EngineEvent, type EngineRequest } from '@shared/engine.ts'
import { installAppProtocol } from '../protocol/app-protocol.ts'
import { installMediaProtocol } from '../protocol/media-protocol.ts'
import { lockSession } from '../security/lock-session.ts'

const page = 'app://engine/engine/index.html'

/**
 * Most room for objects that were just made, in MiB, in each of the engine's threads. V8 lets it grow with a thread's age
 * up to sixteen times this; a frame leaves little behind, and none of it for long.
 */
const youngObjects = '--js-flags=--max-semi-space-size=2'

export interface EngineFiles {
  /** The built renderer (`out/renderer`), the weights, and the built `engine.cjs`. */
  rendererDir: string
  modelsDir: string
  preload: string
}

/** What the engine may read and write now: ids of sources and tokens of job folders, added and removed by the host. */
export interface EngineGrants {
  items: Map<string, string>
  folders: Map<string, string>
}

/** The engine's own session: our two schemes and nothing else; kept in memory. Made once, it outlives crashed windows. */
export function createEngineSession(files: EngineFiles, grants: EngineGrants): Session {
  const own = session.fromPartition(`engine-${randomUUID()}`)
  installAppProtocol(own, {
    host: 'engine',
    rendererDir: files.rendererDir,
    folders: { models: files.modelsDir },
  })
  installMediaProtocol(own, {
    origin: 'app://engine',
    item: (id) => Promise.resolve(grants.items.get(id) ?? null),
    job: (token) => grants.folders.get(token) ?? null,
  })
  lockSession(own, 'engine', !app.isPackaged)
  return own
}

export interface EngineWindowEvents {
  onEvent: (event: EngineEvent) => void
  /** The page's process is gone or hangs; the window has to be thrown away. */
  onGone: (reason: string) => void
  log: (line: string) => void
}

export class EngineWindow {
  readonly #window: BrowserWindow
  readonly #events: EngineWindowEvents

  constructor(own: Session, preload: string, events: EngineWindowEvents) {
    this.#events = events
    this.#window = new BrowserWindow({
      show: false,
      width: 320,
      height: 200,
      skipTaskbar: true,
      focusable: false,
      webPreferences: {
        session: own,
        preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        backgroundThrottling: false,
        webgl: false,
        spellcheck: false,
        additionalArguments: [youngObjects],
      },
    })
    this.#listen()
    // A load that fails is seen as `did-fail-load`; the promise only repeats it.
    this.#window.loadURL(page).catch(() => undefined)
  }

  send(request: EngineRequest): void {
    this.#window.webContents.send(engineChannels.request, request)
  }

  cancel(id: string): void {
    if (!this.#window.isDestroyed()) this.#window.webContents.send(engineChannels.cancel, id)
  }

  destroy(): void {
    if (!this.#window.isDestroyed()) this.#window.destroy()
  }

  #listen(): void {
    const contents = this.#window.webContents
    contents.on('console-message', ({ level, message }) => {
      this.#events.log(`${level}: ${message}`)
    })
    contents.on('render-process-gone', (_event, details) => {
      this.#events.onGone(details.reason)
    })
    contents.on('did-fail-load', (_event, code, description) => {
      this.#events.onGone(`load failed: ${description} (${code})`)
    })
    this.#window.on('unresponsive', () => {
      this.#events.onGone('unresponsive')
    })
    contents.ipc.on(engineChannels.event, (event, body: unknown) => {
      if (event.senderFrame === null || event.senderFrame !== contents.mainFrame) return
      if (event.senderFrame.url !== page) return
      const parsed = engineEventSchema.safeParse(body)
      if (parsed.success) this.#events.onEvent(parsed.data)
      else this.#events.log(`an event did not parse: ${parsed.error.message}`)
    })
  }
}
