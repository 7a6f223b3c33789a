/**
 * @file A service's key stays where it belongs. A whole swap runs against a remote service with a key from the keychain;
 * then everything that is not main's own memory is searched: the windows' memory, all IPC, every file of the data folder,
 * what was written on the terminal, and the processes' arguments and systemStatus. Each search is shown to find a planted key.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { embeddedProfileId } from '@shared/tasks/task.ts'
import type { Page } from 'playwright-core'
import { Keychain } from '../../src/main/machine/keychain/keychain.ts'
import { FaultyService, type Play } from '../fault/faulty-service.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { startEngine, type Studio } from './app.ts'
import { seedSample, addService, servicesOf, submitSample, taskOf } from './seeded.ts'
import { launchWarm } from './warm.ts'

const secret = `sk-whole-job-${String(process.pid)}-7f3a9c21e5`
const bytesOf = [Buffer.from(secret, 'latin1'), Buffer.from(secret, 'utf16le')] as const
const dataDir = sharedDir()
let service: FaultyService
let studio: Studio
let keychain: Keychain

const holds = (bytes: Buffer): boolean => bytesOf.some((each) => bytes.includes(each))

/** Files of the data folder that hold the key; a file that went meanwhile holds nothing. */
function filesWithKey(): string[] {
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      try {
        return holds(readFileSync(path))
      } catch {
        return false
      }
    })
}

/** Everything that V8 holds of a page, after a collection. */
async function heapOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  const parts: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => parts.push(chunk))
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  return parts.join('')
}

/** Whether the key is anywhere in a process's own memory, workers and DOM included; null where that cannot be read. */
function inMemoryOf(pid: number): boolean | null {
  let memory: number
  try {
    memory = openSync(`/proc/${String(pid)}/mem`, 'r')
  } catch {
    return null
  }
  const block = Buffer.alloc(4 << 20)
  const overlap = secret.length * 2
  try {
    for (const line of readFileSync(`/proc/${String(pid)}/maps`, 'utf8').split('\n')) {
      const [, from, to, name] = /^([0-9a-f]+)-([0-9a-f]+) rw\S+ \S+ \S+ \S+\s*(.*)$/.exec(line) ?? []
      if (from === undefined || to === undefined || name?.startsWith('/dev/')) continue
      const end = parseInt(to, 16)
      for (let at = parseInt(from, 16); at < end; at += block.length - overlap) {
        try {
          const read = readSync(memory, block, 0, Math.min(block.length, end - at), at)
          if (holds(block.subarray(0, read))) return true
        } catch {
          // A guard page, or one that was given back meanwhile.
        }
      }
    }
    return false
  } finally {
    closeSync(memory)
  }
}

/** Whether the key is in the memory of a window's process, or among what V8 holds of its page where that cannot be read. */
async function isInMemory(page: Page): Promise<boolean> {
  const pid = await studio.app.evaluate(
    ({ webContents }, url) =>
      webContents
        .getAllWebContents()
        .find((each) => each.getURL() === url)
        ?.getOSProcessId(),
    page.url(),
  )
  return inMemoryOf(pid ?? 0) ?? (await heapOf(page)).includes(secret)
}

/** Process ids of the windows' renderers. */
const renderers = (): Promise<number[]> =>
  studio.app.evaluate(({ webContents }) => webContents.getAllWebContents().map((each) => each.getOSProcessId()))

/** From now on, everything that crosses between main and a window is written down in main. */
const recordIpc = (): Promise<void> =>
  studio.app.evaluate(({ ipcMain, webContents }) => {
    const seen: string[] = []
    Object.assign(globalThis, { seenByIpc: seen })
    const note = (...what: unknown[]): void => {
      seen.push(JSON.stringify(what, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value)))
    }
    // Electron keeps the handlers of `handle` in this map.
    const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, (...args: unknown[]) => unknown> })
      ._invokeHandlers
    for (const [name, handler] of handlers) {
      handlers.set(name, async (event, ...args: unknown[]) => {
        const answer = await handler(event, ...args)
        note('invoke', name, args, answer)
        return answer
      })
    }
    const emit = ipcMain.emit.bind(ipcMain)
    ipcMain.emit = (name, ...args: unknown[]) => {
      note('message', name, args.slice(1))
      return emit(name, ...args)
    }
    for (const each of webContents.getAllWebContents()) {
      const send = each.send.bind(each)
      each.send = (name, ...args: unknown[]) => {
        note('send', name, args)
        send(name, ...args)
      }
    }
  })
const ipc = (): Promise<string> =>
  studio.app.evaluate(() => (globalThis as unknown as { seenByIpc: string[] }).seenByIpc.join('\n'))

beforeAll(async () => {
  // One trouble on the way, so that there is something to log.
  const play: Play = ({ response }) => response.writeHead(503).end('{}')
  service = new FaultyService({ key: () => secret, trouble: { point: 'watch', times: 1, refuses: false, play } })
  await service.start()
  seedSample(dataDir)
  // The key is given in one run, and used in another that never saw it come in.
  const first = await launchWarm({ dataDir })
  await addService(first.page, service.baseUrl, 'keychain', secret)
  await vi.waitFor(
    async () => expect(await servicesOf(first.page)).toMatchObject([{ key: { kept: 'keychain' } }]),
    30_000,
  )
  await first.quit({ keep: true })
  // As a version that stored the embedded service's key there left it.
  const { install } = JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')) as { install: string }
  keychain = new Keychain(install)
  await keychain.set(embeddedProfileId, 'sk-mien-of-an-earlier-version')
  studio = await launchWarm({ dataDir })
  await recordIpc()
  await studio.page.reload()
  await studio.page.getByRole('navigation').first().waitFor()
  const { page } = studio
  await startEngine(studio)
  const [{ id: profileId } = { id: '' }] = await servicesOf(page)
  await page.evaluate((id) => window.mien.profiles.test({ profileId: id }), profileId)
  const taskId = await submitSample(page, 'For the agency', profileId)
  await vi.waitFor(async () => expect((await taskOf(page, taskId)).state).toBe('kept'), { timeout: 200_000, interval: 200 }) // prettier-ignore
  // The settings are a place where a key might show.
  await page.keyboard.press('ControlOrMeta+,')
  await page.getByText('Agency').first().waitFor()
})
afterAll(async () => {
  for (const { id } of await servicesOf(studio.page))
    await studio.page.evaluate((profileId) => window.mien.profiles.remove({ profileId }), id)
  await studio.quit()
  await service.stop()
})

it('removes the embedded service’s key that an earlier version stored in the keychain', async () => {
  await expect.poll(() => keychain.get(embeddedProfileId)).toBeNull()
})

describe('after a whole swap with a key from the keychain, that key', () => {
  it('was used', () => {
    expect(service.made).toHaveLength(1)
    expect(service.heardCreates.get('For the agency')).toBe(1)
  })

  it('is in no window’s memory', async () => {
    const pages = studio.app.windows()
    expect(pages.map((page) => new URL(page.url()).host).sort()).toEqual(['engine', 'studio'])
    for (const page of pages) expect(await isInMemory(page), page.url()).toBe(false)
  })

  it('crossed no channel', async () => {
    const traffic = await ipc()
    expect(traffic).toContain('For the agency')
    expect(traffic).toContain(secret.slice(-4))
    expect(traffic).not.toContain(secret)
  })

  it('is in no file of the data folder: logs, settings, databases, what Chromium keeps', () => {
    expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(['library.db', 'settings.json', 'service']))
    expect(filesWithKey()).toEqual([])
  })

  it('is not on the terminal, nor in any process’s arguments or systemStatus', async () => {
    expect(studio.output()).not.toContain(secret)
    for (const pid of [...(await renderers()), studio.app.process().pid ?? 0])
      for (const name of ['cmdline', 'environ'])
        expect(readFileSync(`/proc/${String(pid)}/${name}`, 'latin1')).not.toContain(secret)
  })

  // Last, since it plants the key everywhere.
  it('is found in each of these places when it is planted there', async () => {
    const { page } = studio
    await page.evaluate((key) => {
      Object.assign(window, { planted: key })
    }, secret)
    expect(await isInMemory(page)).toBe(true)
    await page.evaluate((key) => window.mien.app.copyText({ text: key }), secret)
    expect(await ipc()).toContain(secret)
    const file = join(dataDir, 'service', 'planted.log')
    writeFileSync(file, `a line with ${secret}`)
    expect(filesWithKey()).toEqual([file])
  })
})
