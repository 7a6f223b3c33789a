/** @file Bad days: each ends in a sentence that says what happened and what to do, and nothing is lost. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Task } from '@shared/tasks/task.ts'
import type { Page } from 'playwright-core'
import { shortClip } from '../fixtures/clip.ts'
import { breakOff, FakeService, json, routes } from '../fixtures/fake-service.ts'
import { listen } from '../fixtures/listen.ts'
import { dropSwap, launch, type Studio } from './app.ts'
import { launchWarm } from './warm.ts'

const files = mkdtempSync(join(tmpdir(), 'mien-e2e-files-'))
let clip: string
let dataDir: string
let studio: Studio | null

beforeAll(async () => {
  clip = await shortClip(join(files, 'clip.mp4'))
})
afterAll(() => {
  rmSync(files, { recursive: true, force: true })
})
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'mien-e2e-'))
  studio = null
})
afterEach(async () => {
  await studio?.quit()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

const open = async (): Promise<Page> => {
  studio = await launchWarm({ dataDir })
  return studio.page
}
const finished = (page: Page) => page.getByRole('button', { name: 'Save as…' }).waitFor()

/** Adds a service with a key and sends it the sample, all over the bridge. */
const submitTo = (page: Page, baseUrl: string) =>
  page.evaluate(async (url) => {
    const { mien } = window
    const saved = await mien.profiles.save({ name: 'Agency', baseUrl: url })
    if (!saved.ok) throw new Error(saved.error.code)
    const profileId = saved.value.id
    await mien.profiles.setKey({ profileId, key: 'sk-of-the-agency-8f2c', keep: 'session' })
    const taken = await mien.intake.sample()
    if (!taken.ok) throw new Error(taken.error.code)
    const { face, video } = taken.value
    return mien.tasks.submit({ faceId: face.id, videoId: video.id, title: 'For the agency', profileId })
  }, baseUrl)

describe('a key that is refused', () => {
  it('holds the swaps of its service, says which key, and a new key lets them go on', async () => {
    const service = await new FakeService().start()
    try {
      service.acceptSwaps()
      service.replies.set(routes.create, json({ message: 'unknown key' }, 401))
      const page = await open()
      await submitTo(page, service.baseUrl)
      await page.getByText(/Agency doesn’t accept the key ending in 8f2c/).waitFor()
      service.replies.set(routes.create, json({ objectID: 'object-1' }))
      const state = () =>
        page.evaluate(async () => {
          const answer = await window.mien.tasks.snapshot()
          return answer.ok
            ? (JSON.parse(answer.value.json) as Task[]).map(({ state: at, pause }) => `${at} ${pause ?? ''}`.trim())
            : []
        })
      expect(await state()).toEqual(['queued key'])
      await page.evaluate(async () => {
        const list = await window.mien.profiles.list()
        const profile = list.ok ? list.value.find((each) => !each.embedded) : undefined
        if (profile) await window.mien.profiles.setKey({ profileId: profile.id, key: 'sk-new-0001', keep: 'session' })
      })
      await expect.poll(state).toEqual(['processing'])
      expect(await page.getByText(/doesn’t accept the key/).count()).toBe(0)
      const keys = service.creates.map(({ headers }) => headers['x-service-apikey'])
      expect(keys).toEqual(['sk-of-the-agency-8f2c', 'sk-new-0001'])
    } finally {
      await service.stop()
    }
  })
})

describe('a connection that breaks in the middle of a create', () => {
  it('leaves the swap for the user to decide; the create left once', async () => {
    const service = await new FakeService().start()
    try {
      service.acceptSwaps()
      const page = await open()
      await submitTo(page, service.baseUrl)
      await expect.poll(() => service.count(routes.create)).toBe(1)
      // The connection was used once and is kept by Chromium, which would repeat a POST on it.
      service.replies.set(routes.create, breakOff)
      await submitTo(page, service.baseUrl)
      const states = () =>
        page.evaluate(async () => {
          const answer = await window.mien.tasks.snapshot()
          return answer.ok ? (JSON.parse(answer.value.json) as Task[]).map(({ state }) => state).sort() : []
        })
      await expect.poll(states).toEqual(['processing', 'unconfirmed'])
      // Another that is sent after it, and arrives.
      service.replies.set(routes.create, json({ objectID: 'object-1' }))
      await submitTo(page, service.baseUrl)
      await expect.poll(states).toEqual(['processing', 'processing', 'unconfirmed'])
      expect(service.count(routes.create)).toBe(3)
      await page.keyboard.press('ControlOrMeta+l')
      await page.getByText('Needs a decision').first().waitFor()
    } finally {
      await service.stop()
    }
  })
})

describe('an address that does not answer', () => {
  it('is named on the slot with the seconds it was silent', { tags: ['long'] }, async () => {
    const silent = createServer()
    const port = String(await listen(silent))
    const page = await open()
    await page.getByRole('button', { name: 'Use a link…' }).click()
    await page.keyboard.insertText(`http://127.0.0.1:${port}/film.mp4`)
    await page.keyboard.press('Enter')
    await page.getByText(`127.0.0.1:${port} didn’t respond within 10 s`).waitFor()
    silent.close()
  })
})

describe('broken files in the data folder', () => {
  it('settings are moved aside and the user is told', async () => {
    writeFileSync(join(dataDir, 'settings.json'), '{"settings": {"theme": "da')
    const page = await open()
    await page
      .getByText(/settings/i)
      .first()
      .waitFor()
    const backup = readdirSync(dataDir).find((name) => name.startsWith('settings.broken-'))
    expect(readFileSync(join(dataDir, backup ?? ''), 'utf8')).toContain('"theme": "da')
    await expect.poll(() => page.getByText(new RegExp(backup ?? 'none')).count()).toBeGreaterThan(0)
  })

  it('a library is moved aside whole, the user is told, and Mien works', async () => {
    writeFileSync(join(dataDir, 'library.db'), 'no database')
    const page = await open()
    const backup = readdirSync(dataDir).find((name) => name.startsWith('library.db.broken-'))
    expect(readFileSync(join(dataDir, backup ?? ''), 'utf8')).toBe('no database')
    await expect.poll(() => page.getByText(new RegExp(backup ?? 'none')).count()).toBeGreaterThan(0)
    await dropSwap(page, clip)
    await finished(page)
  })
})

describe('a computer without a keyring', () => {
  it('is said to be so; a key is kept for the session only when the user says so; swaps work', async () => {
    studio = await launch({ dataDir, env: { DBUS_SESSION_BUS_ADDRESS: 'disabled:' } })
    const { page } = studio
    const outcome = await page.evaluate(async () => {
      const { mien } = window
      const saved = await mien.profiles.save({ name: 'Cloud', baseUrl: 'https://api.example.com' })
      if (!saved.ok) throw new Error(saved.error.code)
      const profileId = saved.value.id
      const kept = await mien.profiles.setKey({ profileId, key: 'sk-planted-9999', keep: 'keychain' })
      const session = await mien.profiles.setKey({ profileId, key: 'sk-planted-9999', keep: 'session' })
      return {
        kept: kept.ok ? 'kept' : kept.error.code,
        session: session.ok ? session.value.key.kept : session.error.code,
      }
    })
    expect(outcome).toEqual({ kept: 'no-keychain', session: 'session' })
    await expect
      .poll(() => page.evaluate(async () => window.mien.app.info().then((info) => info.ok && info.value.keychain)))
      .toBe('missing')
    await dropSwap(page, clip)
    await finished(page)
    const found = spawnSync('grep', ['-rlaF', 'sk-planted-9999', dataDir], { encoding: 'utf8' })
    expect(found.stdout).toBe('')
  })
})

describe.runIf(process.getuid?.() === 0)('a full disk (needs root, who may mount a small one)', () => {
  const mounted = () => join(dataDir, 'results')
  const mount = (options: string): void => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', mounted()])
  }
  afterEach(async () => {
    await studio?.quit({ keep: true })
    studio = null
    execFileSync('umount', [mounted()])
  })

  it('is said with what to do, and the swap is kept once there is room', async () => {
    mkdirSync(mounted())
    mount('size=64k')
    const page = await open()
    await dropSwap(page, clip)
    await page.getByText('The disk is full').first().waitFor()
    await page.getByRole('button', { name: 'Try again' }).first().waitFor()
    // It tries by itself too, so there may be nothing left to press.
    mount('remount,size=64m')
    await finished(page)
    expect(readdirSync(mounted()).filter((name) => name.endsWith('.mp4'))).toHaveLength(1)
  })
})
