/** @file Bad days: each ends in a sentence that says what happened and what to do, and nothing is lost. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Task } from '@shared/tasks/task.ts'
import type { Page } from 'playwright-core'
import { shortClip } from '../fixtures/clip.ts'
import { breakOff, FakeService, json, routes } from '../fixtures/fake-service.ts'
import { listen } from '../fixtures/listen.ts'
import { sharedDir, tempDir } from '../fixtures/temp-dir.ts'
import { dropSwap, type Studio } from './app.ts'
import { seedSample, addService, submitSample } from './seeded.ts'
import { launchWarm } from './warm.ts'

const files = sharedDir()
let clip: string
let dataDir: string
let studio: Studio | null

beforeAll(async () => {
  clip = await shortClip(join(files, 'clip.mp4'), 9)
})
beforeEach(() => {
  dataDir = tempDir()
  studio = null
})
afterEach(() => studio?.quit())

const open = async (): Promise<Page> => {
  studio = await launchWarm({ dataDir })
  return studio.page
}
const finished = (page: Page) => page.getByRole('button', { name: 'Save as…' }).waitFor()

const submitTo = (page: Page, profileId: string) => submitSample(page, 'Interview', profileId)

/** State and pause of all swaps. */
const states = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const answer = await window.mien.tasks.snapshot()
    const tasks = answer.ok ? (JSON.parse(answer.value.json) as Task[]) : []
    return tasks.map(({ state, pause }) => `${state} ${pause ?? ''}`.trim()).sort()
  })

describe('a service', () => {
  it('that refuses its key holds its swaps until there is a new one; a connection that breaks in a create sends it once', async () => {
    const service = await new FakeService().start()
    try {
      service.acceptSwaps()
      service.replies.set(routes.create, json({ message: 'unknown key' }, 401))
      seedSample(dataDir)
      const page = await open()
      const profileId = await addService(page, service.baseUrl)
      await submitTo(page, profileId)
      await page.getByText(/Agency doesn’t accept the key ending in 8f2c/).waitFor()
      service.replies.set(routes.create, json({ objectID: 'object-1' }))
      expect(await states(page)).toEqual(['queued key'])
      await page.evaluate(
        (id) => window.mien.profiles.setKey({ profileId: id, key: 'sk-new-0001', keep: 'session' }),
        profileId,
      )
      await expect.poll(() => states(page)).toEqual(['processing'])
      expect(await page.getByText(/doesn’t accept the key/).count()).toBe(0)
      const keys = service.creates.map(({ headers }) => headers['x-service-apikey'])
      expect(keys).toEqual(['sk-of-the-agency-8f2c', 'sk-new-0001'])

      // The connection was used and is kept by Chromium, which would repeat a POST on it.
      service.replies.set(routes.create, breakOff)
      await submitTo(page, profileId)
      await expect.poll(() => states(page)).toEqual(['processing', 'unconfirmed'])
      // Another that is sent after it, and arrives.
      service.replies.set(routes.create, json({ objectID: 'object-1' }))
      await submitTo(page, profileId)
      await expect.poll(() => states(page)).toEqual(['processing', 'processing', 'unconfirmed'])
      expect(service.count(routes.create)).toBe(4)
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
  it('are moved aside whole, the user is told, and Mien works', async () => {
    const broken = { 'settings.json': '{"settings": {"theme": "da', 'library.db': 'no database' }
    for (const [name, text] of Object.entries(broken)) writeFileSync(join(dataDir, name), text)
    const page = await open()
    const kept = readdirSync(dataDir).filter((name) => name.includes('.broken-'))
    expect(kept.map((name) => readFileSync(join(dataDir, name), 'utf8')).sort()).toEqual(Object.values(broken).sort())
    for (const name of kept) await page.getByText(name).first().waitFor()
    seedSample(dataDir)
    await page.evaluate(() => window.mien.profiles.pause({ profileId: 'this-computer', paused: true }))
    await submitTo(page, 'this-computer')
    await expect.poll(() => states(page)).toEqual(['queued service'])
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
    // The page's video may be read for a moment longer than the app is there.
    await expect.poll(() => spawnSync('umount', [mounted()]).status).toBe(0)
  })

  it('is said with what to do, and the swap is kept once there is room', async () => {
    mkdirSync(mounted())
    mount('size=64k')
    const page = await open()
    await dropSwap(page, clip)
    await page.getByText('The disk is full').first().waitFor()
    const again = page.getByRole('button', { name: 'Try again' }).first()
    await again.waitFor()
    mount('remount,size=64m')
    // It tries by itself too, so there may be nothing left to press.
    again.click().catch(() => undefined)
    await finished(page)
    expect(readdirSync(mounted()).filter((name) => name.endsWith('.mp4'))).toHaveLength(1)
  })
})
