/**
 * @file Which addresses each process of Mien uses, recorded with strace. Playwright's launcher would switch parts of
 * Chromium's network off, so the app is started as users start it.
 */
import { createHash, generateKeyPairSync } from 'node:crypto'
import { chownSync, copyFileSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { signFeeds } from '../../scripts/lib/release-feed.mjs'
import { sample, shortClip } from '../fixtures/clip.ts'
import { FakeService } from '../fixtures/fake-service.ts'
import { openOutside } from '../fixtures/page-trust.ts'
import { socketUses, watched } from '../fixtures/socket-watch.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { asRoot, copyForUsers, launchAsUser, processesOf, type UserApp } from '../fixtures/user-app.ts'
import { FeedServer } from '../updates/feed-server.ts'
import { addService, fillSlots } from './seeded.ts'

const nobody = 65534
let dir: string
let home: string
let log: string
let face: string
let clip: string
let executable: string
let running: UserApp

beforeEach(async () => {
  dir = tempDir()
  home = join(dir, 'home')
  log = join(home, 'sockets.log')
  face = join(dir, 'face.jpg')
  copyFileSync(sample.face, face)
  clip = await shortClip(join(dir, 'clip.mp4'), 5)
})
afterEach(() => running.quit())

async function start(command: readonly string[], env: readonly string[] = []): Promise<Page> {
  ;[executable = ''] = command
  const user = { uid: nobody, gid: nobody, home }
  running = await launchAsUser(user, ['env', ...env, ...watched(command, log)], ['--data-dir', join(home, 'data')])
  return running.page
}

async function drop(page: Page): Promise<void> {
  await fillSlots(page, clip, face)
}

async function swap(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
  await page.getByRole('button', { name: 'Swap', exact: true }).click()
  await page.getByRole('button', { name: 'Save as…' }).waitFor()
}

/**
 * What the processes have done so far, each once: `main listen embedded`.
 * @param servers names of addresses, `host:port`
 */
function uses(servers: Record<string, string> = {}): string[] {
  const all = socketUses(log).filter(({ to }) => to !== `127.0.0.1:${String(running.debugPort)}`)
  const embedded = all.find(({ kind }) => kind === 'listen')?.to
  const roles = new Map(
    processesOf(executable)
      .filter(({ args }) => args.startsWith(`${executable} `))
      .map(({ pid, args }) => [pid, roleOf(args)]),
  )
  const found = all.flatMap(({ pid, kind, to }) => {
    const role = roles.get(pid) ?? 'ended'
    // Main also opens sockets to ask the kernel for routes and interfaces, and sends nothing on them.
    if (kind === 'open' && role === 'main') return []
    return [`${role} ${kind} ${to === embedded ? 'embedded' : (servers[to] ?? to)}`]
  })
  return [...new Set(found)].sort()
}

/** Chromium's network code is in main on Linux: an Electron that doesn't know that flag has `network` here. */
function roleOf(args: string): string {
  if (args.includes('--utility-sub-type=network.mojom.NetworkService')) return 'network'
  return /--type=(\S+)/.exec(args)?.[1] ?? 'main'
}

/** Tries every way out of a page. The name is looked up by nothing but a prefetch. */
function tryToLeave(page: Page, url: string): Promise<void> {
  return page.evaluate(async (base) => {
    const { host } = new URL(base)
    for (const rel of ['dns-prefetch', 'preconnect', 'prefetch', 'modulepreload', 'icon', 'stylesheet']) {
      const link = Object.assign(document.createElement('link'), { rel })
      link.href = rel === 'dns-prefetch' ? 'http://prefetch.example' : `${base}/${rel}`
      document.head.append(link)
    }
    navigator.sendBeacon(`${base}/beacon`)
    const ended = (target: EventTarget): Promise<unknown> =>
      new Promise((resolve) => {
        for (const type of ['error', 'open', 'load']) target.addEventListener(type, resolve)
      })
    await Promise.all([
      fetch(`${base}/fetch`).catch(String),
      ended(Object.assign(new Image(), { src: `${base}/image` })),
      ended(new WebSocket(`ws://${host}/socket`)),
      ended(new EventSource(`${base}/events`)),
      new WebTransport(`https://${host}/transport`).ready.catch(String),
    ])
    const turn = { username: 'a', credential: 'b' }
    const peer = new RTCPeerConnection({
      iceServers: [{ urls: `stun:${host}` }, { urls: [`turn:${host}`, `turn:${host}?transport=tcp`], ...turn }],
    })
    const other = new RTCPeerConnection()
    peer.createDataChannel('data')
    await peer.setLocalDescription()
    await other.setRemoteDescription(peer.localDescription ?? { type: 'offer' })
    await other.setLocalDescription()
    await peer.setRemoteDescription(other.localDescription ?? { type: 'answer' })
    const [ip = '', port = ''] = host.split(':')
    for (const rest of [
      `udp 2113937151 ${ip} ${port} typ host`,
      `tcp 1518280447 ${ip} ${port} typ host tcptype passive`,
    ])
      await peer.addIceCandidate({ candidate: `candidate:1 1 ${rest}`, sdpMid: '0' })
    // Chromium tries them at once.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    peer.close()
    other.close()
  }, url)
}

describe.runIf(process.platform === 'linux')('the processes of Mien', () => {
  it('reach nothing but the embedded service for a swap on this computer, and pages never reach anything', async () => {
    const { app, electron } = copyForUsers(dir)
    const page = await start([electron, app])
    await drop(page)
    // Something that is sent later would be missed without a wait.
    await delay(1000)
    expect(uses()).toEqual(['main listen embedded'])

    await swap(page)
    const ofSwap = ['main connect embedded', 'main listen embedded']
    expect(uses()).toEqual(ofSwap)

    const outside = await openOutside()
    const pages = page.context().pages()
    expect(pages.map((each) => new URL(each.url()).host).sort()).toEqual(['engine', 'studio'])
    for (const each of pages) await tryToLeave(each, outside.baseUrl)
    await outside.stop()
    expect(uses()).toEqual(ofSwap)

    // Only the user's click lets it ask the local network.
    await page.keyboard.press('Control+,')
    await page.getByRole('button', { name: 'Add service…' }).click()
    expect(uses()).toEqual(ofSwap)
    await page.getByRole('button', { name: 'Find on this network' }).click()
    await expect.poll(() => uses()).toEqual([...ofSwap, 'main send 224.0.0.251:5353'].sort())
  })

  it('reach the chosen online service and the feed of updates where they are used', { tags: ['long'] }, async () => {
    const service = await new FakeService().start()
    service.finishSwaps(readFileSync(sample.video))
    const feed = new FeedServer(join(dir, 'feed'))
    const feedAddress = await feed.start()
    const appImage = join(home, 'Mien.AppImage')
    const command = await packageWith(await publish(join(dir, 'feed')))
    mkdirSync(home)
    writeFileSync(appImage, 'old')
    if (asRoot) for (const path of [home, appImage]) chownSync(path, nobody, nobody)
    const env = {
      APPIMAGE: appImage,
      MIEN_UPDATE_ADDRESS: feedAddress,
      MIEN_UPDATE_DOWNLOAD: 'automatic',
      XDG_CACHE_HOME: join(home, 'cache'),
    }
    const page = await start(
      [command],
      Object.entries(env).map(([name, value]) => `${name}=${value}`),
    )

    await addService(page, service.baseUrl)
    await drop(page)
    await page.getByRole('button', { name: /^Runs on/ }).click()
    await page.getByRole('menuitemradio', { name: /^Agency/ }).click()
    await swap(page)
    await page.keyboard.press('Control+,')
    const updates = page.locator('#updates').getByRole('status')
    // If the swap took long, Mien has already checked by itself.
    const checked = updates.getByRole('button', { name: 'Check now' }).click()
    checked.catch(() => undefined)
    await updates.getByText('Mien 99.0.0 is ready').waitFor()

    const servers = { [new URL(service.baseUrl).host]: 'service', [new URL(feedAddress).host]: 'feed' }
    expect(uses(servers)).toEqual(['main connect feed', 'main connect service', 'main listen embedded'])
    await service.stop()
    await feed.stop()
  })
})

/** Makes a signed release in `folder`, and returns the public key. */
async function publish(folder: string): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const name = 'Mien-linux-x86_64.AppImage'
  const program = Buffer.alloc(300_000, 'new')
  const sha512 = createHash('sha512').update(program).digest('base64')
  mkdirSync(folder)
  writeFileSync(join(folder, name), program)
  writeFileSync(
    join(folder, 'latest-linux.yml'),
    JSON.stringify({ version: '99.0.0', files: [{ url: name, sha512, size: program.length }], path: name, sha512 }),
  )
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  await signFeeds(folder, { privateKeys: [secret], notes: '- Faster', now: Date.now(), days: 90 })
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
}

/** Arranges the app like a package, which looks for updates, and replaces its public keys. Returns the executable. */
async function packageWith(publicKey: string): Promise<string> {
  const { app, electron } = copyForUsers(dir)
  const resources = join(dirname(electron), 'resources')
  renameSync(join(app, 'resources'), join(resources, 'resources'))
  renameSync(app, join(resources, 'app'))
  writeFileSync(join(resources, 'app-update.yml'), 'updaterCacheDirName: mien-updater\n')
  const { default: keys } = await import('../../src/main/app/updates/public-keys.json', { with: { type: 'json' } })
  const main = join(resources, 'app', 'out', 'main')
  for (const entry of readdirSync(main, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.js')) continue
    const code = readFileSync(join(main, entry), 'utf8')
    const changed = keys.reduce((text, key) => text.replaceAll(key, publicKey), code)
    if (changed !== code) writeFileSync(join(main, entry), changed)
  }
  // Electron takes itself for a package if its name is another one.
  const executable = join(dirname(electron), 'mien')
  renameSync(electron, executable)
  return executable
}
