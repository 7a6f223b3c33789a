/**
 * 1.0.0 → 1.1.0 of a real AppImage from a real feed on loopback, and everything that can be wrong with it. After each
 * failure the old version is the same file as before, and starts.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { signFeeds } from '../../scripts/lib/release-feed.mjs'
import { tempDir } from '../fixtures/temp-dir.ts'
import type { updateKey } from '../fixtures/update-key.ts'
import { asRoot } from '../fixtures/user-app.ts'
import { FeedServer } from './feed-server.ts'
import { hashOf, Installed } from './installed.ts'

const made = process.env['MIEN_UPDATES_DIR'] ?? ''
const name = 'Mien-linux-x86_64.AppImage'
const oldFile = join(made, '1.0.0', name)
const newFile = join(made, '1.1.0', name)
const dayMs = 24 * 3_600_000

let dir: string
let feed: string
let keys: Record<'first' | 'second' | 'stranger', ReturnType<typeof updateKey>>
let server: FeedServer
let address: string
let app: Installed

beforeEach(async () => {
  dir = tempDir()
  chmodSync(dir, 0o755)
  feed = join(dir, 'feed')
  mkdirSync(feed)
  // Our own file, made by build.ts.
  keys = JSON.parse(readFileSync(join(made, 'keys.json'), 'utf8')) as typeof keys
  server = new FeedServer(feed)
  address = await server.start()
  app = new Installed(dir, oldFile)
})
afterEach(async () => {
  app.dispose()
  await server.stop()
})

const changeYml = (pattern: RegExp, replacement: string): void => {
  const path = join(feed, 'latest-linux.yml')
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(pattern, replacement))
}

/** Puts 1.1.0 into the feed, also by the name of another version, signed by the script that signs real ones. */
async function publish({ privateKeys = [keys.first.secret], now = Date.now(), version = '1.1.0' } = {}) {
  for (const file of [name, 'latest-linux.yml']) copyFileSync(join(made, '1.1.0', file), join(feed, file))
  changeYml(/(?<=^version: ).*/g, version)
  expect(await signFeeds(feed, { privateKeys, notes: '- Faster', now, days: 90 })).toEqual(['latest-linux.json'])
}

const openUpdates = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+,')
  await page.getByRole('heading', { name: 'Updates' }).waitFor()
}
const row = (page: Page) => page.locator('#updates').getByRole('status')
const check = async (page: Page): Promise<void> => {
  await openUpdates(page)
  await row(page).getByRole('button', { name: 'Check now' }).click()
}
const download = async (page: Page): Promise<void> => {
  await check(page)
  await row(page).getByText('Mien 1.1.0 is available').waitFor()
  await row(page).getByRole('button', { name: 'Download' }).click()
}
const ready = (page: Page): Promise<void> => row(page).getByText('Mien 1.1.0 is ready').waitFor()

/** 1.0.0, which has downloaded 1.1.0. */
async function downloaded(): Promise<Page> {
  const page = await app.start(address)
  await download(page)
  await ready(page)
  return page
}

/** After a restart by itself, 1.1.0 runs in the place of the process `before`. Ends it. */
async function comesBack(before: number): Promise<void> {
  const log = join(app.dataDir, 'logs', 'mien.log')
  // Its debugging port is no way to see it: it inherits the old one's socket, to which nobody listens.
  await vi.waitFor(() => expect(readFileSync(log, 'utf8')).toContain('Mien 1.1.0 starts'), {
    timeout: 90_000,
    interval: 200,
  })
  expect(app.main()).not.toBe(before)
  await app.quit()
}

async function startsAs(version: string): Promise<void> {
  const page = await app.start(address)
  await openUpdates(page)
  await row(page).getByText(`Mien ${version}`, { exact: true }).waitFor()
  await app.quit()
}

/** Its file is the same as before, and starts. */
async function isStillOld(): Promise<void> {
  expect(hashOf(app.path)).toBe(hashOf(oldFile))
  await startsAs('1.0.0')
}

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('an update', () => {
  it('is fetched when the user says so, as far as it differs, and put in place on quit', async () => {
    await publish()
    const page = await app.start(address)
    await check(page)
    await page.getByText('Mien 1.1.0 is available.').waitFor()
    await row(page).getByRole('button', { name: 'What’s new' }).click()
    await page.getByRole('dialog').getByText('- Faster').waitFor()
    await page.keyboard.press('Escape')
    expect(server.sent.get(name) ?? 0).toBe(0)
    await row(page).getByRole('button', { name: 'Download' }).click()
    await ready(page)
    const bytes = server.sent.get(name) ?? 0
    process.stdout.write(`update: ${String(bytes)} of ${String(readFileSync(newFile).length)} bytes were fetched\n`)
    expect(bytes).toBeLessThan(readFileSync(newFile).length / 5)
    expect(server.headers.some((headers) => 'x-user-staging-id' in headers)).toBe(false)
    expect(hashOf(app.path)).toBe(hashOf(oldFile))
    await app.quit()
    expect(hashOf(app.path)).toBe(hashOf(newFile))
    await startsAs('1.1.0')
  })

  it('signed by the second key is put in place at once, and Mien comes back as the new version', async () => {
    await publish({ privateKeys: [keys.second.secret] })
    const page = await downloaded()
    const before = app.main()
    await row(page).getByRole('button', { name: 'Restart now' }).click()
    await comesBack(before)
    expect(hashOf(app.path)).toBe(hashOf(newFile))
    await startsAs('1.1.0')
  })

  it('waits for the swap that runs, which is kept', async () => {
    await publish()
    const page = await downloaded()
    await page.keyboard.press('Control+n')
    await page.getByRole('button', { name: 'Try it with sample media' }).click()
    await page
      .getByText(/^Processing/)
      .first()
      .waitFor()
    await openUpdates(page)
    const before = app.main()
    await row(page).getByRole('button', { name: 'Restart now' }).click()
    await row(page).getByText('Mien restarts when the swaps on this computer are finished').waitFor()
    expect(hashOf(app.path)).toBe(hashOf(oldFile))
    await comesBack(before)
    expect(hashOf(app.path)).toBe(hashOf(newFile))
    const after = await app.start(address)
    await after
      .getByText(/^Finished/)
      .first()
      .waitFor()
    await app.quit()
  })

  const tampered = (): void => {
    const bytes = readFileSync(join(feed, name))
    // All of it: what is the same in both versions is not fetched.
    bytes.fill(7)
    writeFileSync(join(feed, name), bytes)
  }
  /** What a thief of the host can do: a file of his own, with feeds that fit it, but not our key. */
  const rewritten = async (): Promise<void> => {
    await publish({ privateKeys: [keys.stranger.secret] })
  }

  it.each<[string, () => void | Promise<void>, RegExp]>([
    ['tampered file', tampered, /download is damaged/],
    ['truncated file', () => truncateSync(join(feed, name), 50_000_000), /download is damaged|server can’t be reached/],
    ['cut connection', () => void (server.cutAfter = 10_000), /server can’t be reached|download is damaged/],
    [
      'program that lies elsewhere',
      () => void (server.redirect = `http://localhost:1/${name}`),
      /comes from an unexpected location/,
    ],
  ])('with a %s is not installed', async (_what, spoil, words) => {
    await publish()
    await spoil()
    const page = await app.start(address)
    await download(page)
    await row(page).getByText(words).waitFor({ timeout: 60_000 })
    await app.quit()
    await isStillOld()
  })

  it.each<[string, () => void | Promise<void>, RegExp]>([
    ['right hashes and a wrong signature', rewritten, /isn’t signed by Mien’s developers/],
    ['no signature', () => rmSync(join(feed, 'latest-linux.json')), /update isn’t signed(?! by)/],
    ['a signature that ran out', () => publish({ now: Date.now() - 91 * dayMs }), /signature has expired/],
    ['an older version', () => publish({ version: '0.9.0' }), /older than this version/],
    [
      'a yml that was changed alone',
      () => changeYml(/sha512: .*/g, `sha512: ${'B'.repeat(86)}==`),
      /don’t match its signature/,
    ],
  ])('with %s is refused before anything is fetched', async (_what, spoil, words) => {
    await publish()
    await spoil()
    const page = await app.start(address)
    await check(page)
    await row(page).getByText(words).waitFor()
    expect(server.sent.get(name) ?? 0).toBe(0)
    await app.quit()
    await isStillOld()
  })

  it('that is killed in the middle of its installation leaves the old one whole; the next try works', async () => {
    await publish()
    await downloaded()
    const half = join(app.path, '..', '.Mien.AppImage.new')
    const main = app.main()
    process.kill(main, 'SIGTERM')
    while (!existsSync(half)) await new Promise((resolve) => setImmediate(resolve))
    process.kill(main, 'SIGKILL')
    app.dispose()
    await app.ended()
    expect(hashOf(app.path)).toBe(hashOf(oldFile))
    const page = await app.start(address)
    await vi.waitFor(() => expect(existsSync(half)).toBe(false))
    await download(page)
    await ready(page)
    await app.quit()
    expect(hashOf(app.path)).toBe(hashOf(newFile))
  })

  describe.runIf(asRoot)('on a full disk', () => {
    let small: string
    beforeEach(() => {
      small = join(dir, 'small')
      mkdirSync(small)
    })
    afterEach(() => {
      app.dispose()
      execFileSync('umount', ['-l', small])
    })
    const mount = (mb: number): void =>
      void execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${String(mb)}m,mode=777`, 'tmpfs', small])

    it('is not fetched, and the window says why', async () => {
      mount(20)
      await publish()
      const page = await app.start(address, { XDG_CACHE_HOME: small })
      await download(page)
      await row(page).getByText('The disk is full').waitFor()
      await app.quit()
      await isStillOld()
    })

    it('is not installed, and the old one stays', async () => {
      mount(200)
      app = new Installed(dir, oldFile, join(small, 'apps'))
      await publish()
      await downloaded()
      await app.quit()
      expect(readFileSync(join(app.dataDir, 'logs', 'mien.log'), 'utf8')).toContain('disk-full')
      await isStillOld()
    })
  })

  it('is not looked for where the set-up says so', async () => {
    await publish()
    const page = await app.start(address, { MIEN_UPDATES: 'off' })
    await openUpdates(page)
    await row(page).getByText('Updates are turned off for this computer').waitFor()
    expect(await row(page).getByRole('button').count()).toBe(0)
    expect(server.headers).toEqual([])
  })
})
