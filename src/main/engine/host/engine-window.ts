/** @file The hidden window of the engine: its session, its restrictions, and its IPC. */
import { randomUUID } from 'node:crypto'
import { app, BrowserWindow, session, type Session } from 'electron'
import { engineChannels } from '@shared/engine/engine-channels.ts'
import { engineEventSchema, type EngineEvent, type EngineRequest } from '@shared/engine/engine.ts'
import { installAppProtocol } from '../../pages/app-protocol.ts'
import { installMediaProtocol } from '../../pages/media-protocol.ts'
import { lockSession } from '../../pages/lock-session.ts'

const page = 'app://engine/engine/index.html'

/**
 * Flags for V8. They replace those of the command line, which the window would get otherwise.
 * - The young generation's semi-space, in MiB per thread, could grow to sixteen times this; a frame leaves few objects,
 *   all short-lived.
 * - V8 optimises a WebAssembly function only after it has run for longer than usual. Those that only load a model end
 *   before that, and optimising them took a quarter of the engine's processor time until its first face.
 */
const v8Flags = '--js-flags=--max-semi-space-size=2 --wasm-tiering-budget=400000000'

export interface EngineFiles {
  /** The built renderer (`out/renderer`), the model weights, and the built `engine.cjs`. */
  rendererDir: string
  modelsDir: string
  preload: string
}

/** Files the engine may access: source ids and job folder tokens mapped to paths, maintained by the host. */
export interface EngineGrants {
  items: Map<string, string>
  folders: Map<string, string>
}

/** Creates the engine's in-memory session with our two schemes only. Created once and reused after crashes. */
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
  /** The page's process crashed or hangs; the window must be replaced. */
  onGone: (reason: string) => void
  log: (line: string) => void
}

export class EngineWindow {
  readonly #window: BrowserWindow

  constructor(
    own: Session,
    preload: string,
    private readonly events: EngineWindowEvents,
  ) {
    this.#window = new BrowserWindow({
      show: false,
      // The frame's buttons come from the desktop's theme; without a display, there is none.
      frame: false,
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
        additionalArguments: [v8Flags],
      },
    })
    this.#listen()
    // `did-fail-load` already reports failed loads.
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
      this.events.log(`${level}: ${message}`)
    })
    contents.on('render-process-gone', (_event, details) => {
      this.events.onGone(details.reason)
    })
    contents.on('did-fail-load', (_event, code, description) => {
      this.events.onGone(`load failed: ${description} (${code})`)
    })
    this.#window.on('unresponsive', () => {
      this.events.onGone('unresponsive')
    })
    contents.ipc.on(engineChannels.event, (event, body: unknown) => {
      if (event.senderFrame === null || event.senderFrame !== contents.mainFrame) return
      if (event.senderFrame.url !== page) return
      const parsed = engineEventSchema.safeParse(body)
      if (parsed.success) this.events.onEvent(parsed.data)
      else this.events.log(`an event did not parse: ${parsed.error.message}`)
    })
  }
}
