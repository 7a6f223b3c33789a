/** @file The hidden engine window's own trust rules, each tried in the real app: every one fails when its rule goes. */
import { readdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FakeService } from '../fixtures/fake-service.ts'
import { openOutside } from '../fixtures/page-trust.ts'
import { sample } from '../fixtures/clip.ts'
import { dropFiles, engineAddress, startEngine } from './app.ts'
import { openStudio } from './seeded.ts'

const studio = openStudio()
let engine: Page
let outside: FakeService

beforeAll(async () => {
  outside = await openOutside()
  engine = await startEngine(studio)
  await engine.waitForLoadState('load')
})
afterAll(() => outside.stop())

describe('the engine window', () => {
  it('has a bridge of three functions and no Node', async () => {
    const found = await engine.evaluate(() => [
      Object.keys(window.engine).sort(),
      ['require', 'process', 'mien'].filter((name) => name in window),
    ])
    expect(found).toEqual([['emit', 'onCancel', 'onRequest'], []])
  })

  it('cannot reach the network, neither by its policy nor by its session', async () => {
    const byPage = await engine.evaluate(
      (url) =>
        fetch(url).then(
          () => 'reached',
          () => 'refused',
        ),
      outside.baseUrl,
    )
    const bySession = await studio.app.evaluate(({ webContents }, url) => {
      const own = webContents.getAllWebContents().find((contents) => contents.getURL().startsWith('app://engine/'))
      return own?.session.fetch(url).then(
        () => 'reached',
        () => 'refused',
      )
    }, outside.baseUrl)
    expect([byPage, bySession, outside.seen]).toEqual(['refused', 'refused', []])
  })

  it('reads and writes nothing that its job was not given', async () => {
    const statuses = await engine.evaluate(async () => {
      const ask = (url: string, method: string): Promise<number | string> =>
        fetch(url, method === 'PUT' ? { method, body: 'x' } : { method }).then(
          (response) => response.status,
          () => 'refused',
        )
      return Promise.all([
        ask('media://item/guess', 'GET'),
        ask('media://job/guess/output.mp4', 'PUT'),
        ask('media://job/guess/..%2foutput.mp4', 'GET'),
        ask('app://engine/..%2f..%2fpackage.json', 'GET'),
        ask('app://studio/studio/index.html', 'GET'),
      ])
    })
    expect(statuses).toEqual([404, 404, 404, 404, 'refused'])
  })

  it('opens no window, goes nowhere and gets no permission', async () => {
    const address = engine.url()
    const tried = await engine.evaluate((url) => {
      location.href = url
      return { opened: window.open(url) !== null, notifications: Notification.permission }
    }, outside.baseUrl)
    expect(tried).toEqual({ opened: false, notifications: 'denied' })
    await studio.page.waitForTimeout(300)
    expect(engine.url()).toBe(address)
    expect(outside.seen).toEqual([])
  })

  // Chromium hides WebNN behind a flag, which is set on Linux only.
  it.runIf(process.platform === 'linux')('finds landmarks natively after a while', async () => {
    const script = readdirSync('out/renderer/assets').find((name) => name.startsWith('analysis.worker')) ?? ''
    const heard = await engine.evaluate(async (name) => {
      const worker = new Worker(`/assets/${name}`, { type: 'module' })
      const native = new Promise((resolve) =>
        worker.addEventListener('message', ({ data }) => data === 'native' && resolve(data)),
      )
      const { port1, port2 } = new MessageChannel()
      worker.postMessage(port1, [port1])
      const side = 64
      const planes = { y: new Uint8Array(side * side), u: new Uint8Array(1024), v: new Uint8Array(1024) }
      const patch = { ...planes, width: side, height: side, left: 0, top: 0, color: { matrix: 'bt601', full: true } }
      const view = { a: 1, b: 0, c: 0, d: 0, e: 1, f: 0 }
      const region = { x: 32, y: 32, size: 64, angle: 0 }
      for (let seq = 0; seq < 120; seq += 1)
        port2.postMessage({ seq, method: 'landmarks', args: [{ patch, view }, region] })
      return native.finally(() => worker.terminate())
    }, script)
    expect(heard).toBe('native')
  })

  it('takes only itself along when it crashes', async () => {
    const { app, page } = studio
    await page.evaluate(() => Object.assign(window, { mark: true }))
    await app.evaluate(({ webContents }) => {
      webContents
        .getAllWebContents()
        .find((contents) => contents.getURL().startsWith('app://engine/'))
        ?.forcefullyCrashRenderer()
    })
    await expect.poll(() => app.windows().filter((each) => each.url().startsWith(engineAddress)).length).toBe(0)
    // The studio's page wasn't loaded again, and a new engine answers it.
    expect(await page.evaluate(() => 'mark' in window)).toBe(true)
    await dropFiles(page, 'main', [sample.face])
    await page.getByText('1 face found').waitFor()
  })
})
