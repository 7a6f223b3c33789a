/**
 * @file A main process for looking at the studio without services behind it: the fake bridge over real IPC, with the
 * real preload and sandbox. MIEN_FAKE_OUT: the built window; MIEN_FAKE_MEDIA: a folder whose file names are media ids.
 */
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { app, BrowserWindow, ipcMain, protocol } from 'electron'
import { channel, contract } from '../../src/shared/ipc.ts'
import type { RawBridge } from '../../src/shared/ipc.ts'
import { FakeMain } from '../fixtures/fake-bridge.ts'
import { agency, cloud, embedded, everyState } from '../fixtures/fake-tasks.ts'

const out = process.env['MIEN_FAKE_OUT'] ?? ''
const media = process.env['MIEN_FAKE_MEDIA'] ?? ''
const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.mp4': 'video/mp4',
}

const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true }
protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges },
  { scheme: 'media', privileges },
])

async function serve(path: string, request: Request): Promise<Response> {
  const bytes = await readFile(path).catch(() => null)
  if (bytes === null) return new Response(null, { status: 404 })
  const headers = { 'content-type': types[extname(path)] ?? 'application/octet-stream', 'accept-ranges': 'bytes' }
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('range') ?? '')
  if (range === null) return new Response(new Uint8Array(bytes), { headers })
  const from = Number(range[1])
  const to = range[2] ? Number(range[2]) : bytes.length - 1
  const part = `bytes ${String(from)}-${String(to)}/${String(bytes.length)}`
  return new Response(new Uint8Array(bytes.subarray(from, to + 1)), {
    status: 206,
    headers: { ...headers, 'content-range': part, 'content-length': String(to - from + 1) },
  })
}

const start = process.env['MIEN_FAKE_START'] ?? 'library'
const main = new FakeMain(
  start === 'empty'
    ? { confirmed: true }
    : {
        tasks: everyState(Date.now()),
        profiles: [embedded, cloud, agency],
        notices: start === 'library' ? [{ id: 'key', kind: 'key-refused', profileId: agency.id, name: agency.name, lastFour: '8f2c' }] : [],
        confirmed: true,
      },
)
// The driver reaches in through Playwright's evaluate.
Object.assign(globalThis, { fake: main })

function connect(window: BrowserWindow): void {
  for (const [group, members] of Object.entries(contract)) {
    const side = main.bridge[group as keyof RawBridge] as unknown as Record<string, (input: unknown) => unknown>
    for (const [method, { kind }] of Object.entries(members)) {
      const name = channel(group, method)
      if (kind === 'event') side[method]?.((payload: unknown) => window.isDestroyed() || window.webContents.send(name, payload))
      else ipcMain.handle(name, (_event, input: unknown) => side[method]?.(input))
    }
  }
}

void app.whenReady().then(async () => {
  protocol.handle('app', (request) => serve(join(out, 'renderer', new URL(request.url).pathname), request))
  protocol.handle('media', (request) =>
    serve(join(media, decodeURIComponent(new URL(request.url).pathname.slice(1))), request),
  )
  const window = new BrowserWindow({
    width: Number(process.env['MIEN_FAKE_WIDTH'] ?? 1280),
    height: Number(process.env['MIEN_FAKE_HEIGHT'] ?? 800),
    useContentSize: true,
    titleBarStyle: 'hidden',
    webPreferences: { preload: join(out, 'studio.cjs'), sandbox: true, contextIsolation: true },
  })
  connect(window)
  await window.loadURL('app://studio/index.html')
})
