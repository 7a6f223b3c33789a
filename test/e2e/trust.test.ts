/** @file The trust rules, each tried against the real app: every one of these fails when its rule is taken away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/clip.ts'
import type { FakeService } from '../fixtures/fake-service.ts'
import { describePageTrust, openOutside } from '../fixtures/page-trust.ts'
import { launch, type Studio } from './app.ts'

let studio: Studio
let outside: FakeService

beforeAll(async () => {
  outside = await openOutside()
  studio = await launch({ env: { MIEN_DEV_SERVER: outside.baseUrl } })
})
afterAll(async () => {
  await studio.quit()
  await outside.stop()
})

describePageTrust(() => studio.page, sample.face)

describe('main', () => {
  it('takes its pages from its own files, whatever the environment says of a dev server', async () => {
    const scripts = await studio.page.evaluate(() => [...document.scripts].map((script) => script.src))
    expect(scripts).toEqual([expect.stringMatching(/^app:\/\/studio\/assets\//)])
    expect(outside.seen).toEqual([])
  })

  it('gives a renderer a sandbox and an isolated world', async () => {
    const preferences = await studio.app.evaluate(({ webContents }) =>
      webContents.getAllWebContents().map((contents) => {
        const { sandbox, contextIsolation, nodeIntegration, webSecurity } = (
          contents as unknown as { getLastWebPreferences: () => Electron.WebPreferences }
        ).getLastWebPreferences()
        return { sandbox, contextIsolation, nodeIntegration, webSecurity }
      }),
    )
    expect(preferences.length).toBeGreaterThan(0)
    for (const each of preferences) {
      expect(each).toEqual({ sandbox: true, contextIsolation: true, nodeIntegration: false, webSecurity: true })
    }
  })

  it('denies a renderer the network even where its policy would allow it: the session does', async () => {
    // A page without a policy, in the same session: only the session's own rule is left to stop it.
    const answer = await studio.app.evaluate(async ({ BrowserWindow, session }, url) => {
      const window = new BrowserWindow({
        show: false,
        webPreferences: { session: session.fromPartition('persist:studio'), sandbox: true },
      })
      const failed = await window.loadURL(`${url}/page`).then(
        () => 'loaded',
        (error: unknown) => String(error),
      )
      window.destroy()
      return failed
    }, outside.baseUrl)
    expect(answer).toContain('ERR_BLOCKED_BY_CLIENT')
    expect(outside.seen).toEqual([])
  })

  it('hears calls from the studio’s own main frame only', async () => {
    const answer = await studio.app.evaluate(async ({ BrowserWindow, session, app }) => {
      const path = process.getBuiltinModule('node:path')
      const preload = path.join(app.getAppPath(), 'out', 'preload', 'studio.cjs')
      const window = new BrowserWindow({
        show: false,
        webPreferences: { preload, session: session.fromPartition('persist:studio'), sandbox: true },
      })
      await window.loadURL('app://studio/studio/index.html')
      const result: unknown = await window.webContents.executeJavaScript('window.mien.tasks.snapshot()')
      window.destroy()
      return result
    })
    expect(answer).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  })
})
