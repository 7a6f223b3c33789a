/** @file Bad days: each ends in a sentence that says what happened and what to do, and nothing is lost. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Task } from '@shared/tasks/task.ts'
import type { Page } from 'playwright-core'
import { shortClip } from '../fixtures/clip.ts'
import { breakOff, json, routes } from '../fixtures/fake-service.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { tempService } from '../fixtures/temp-service.ts'
import { dropSwap, type Studio } from './app.ts'
import { seedSample, addService, submitSample } from './seeded.ts'
import { launchWarm } from './warm.ts'

let dataDir: string
let studio: Studio | null

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

it('a connection to a service that breaks in a create sends it once', async () => {
  const service = await tempService()
  service.acceptSwaps()
  seedSample(dataDir)
  const page = await open()
  const profileId = await addService(page, service.baseUrl)
  await submitTo(page, profileId)
  await expect.poll(() => states(page)).toEqual(['processing'])
  // The connection was used and is kept by Chromium, which would repeat a POST on it.
  service.replies.set(routes.create, breakOff)
  await submitTo(page, profileId)
  await expect.poll(() => states(page)).toEqual(['processing', 'unconfirmed'])
  // Another that is sent after it, and arrives.
  service.replies.set(routes.create, json({ objectID: 'object-1' }))
  await submitTo(page, profileId)
  await expect.poll(() => states(page)).toEqual(['processing', 'processing', 'unconfirmed'])
  expect(service.count(routes.create)).toBe(3)
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
    await dropSwap(page, await shortClip(join(dataDir, 'clip.mp4'), 9))
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
