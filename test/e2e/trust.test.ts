/** @file The trust rules, each tried against the real app: every one of these fails when its rule is taken away. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '@shared/ipc.ts'
import { launch, sample, type Studio } from './app.ts'

let studio: Studio
let server: Server
let origin: string
let hits: string[]

beforeAll(async () => {
  hits = []
  server = createServer((request, response) => {
    hits.push(request.url ?? '')
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/html' }).end('<p>outside</p>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  studio = await launch()
})
afterAll(async () => {
  await studio.quit()
  server.close()
})

describe('a renderer', () => {
  it('has no Node, and nothing of Electron but the contract', async () => {
    const found = await studio.page.evaluate(() => ({
      node: ['require', 'process', 'module', 'Buffer', 'global'].filter((name) => name in window),
      bridge: Object.fromEntries(
        Object.entries(window.mien).map(([group, members]) => [group, Object.keys(members as object).sort()]),
      ),
    }))
    expect(found.node).toEqual([])
    expect(found.bridge).toEqual(
      Object.fromEntries(Object.entries(contract).map(([group, members]) => [group, Object.keys(members).sort()])),
    )
  })

  it('runs in a sandbox with an isolated world', async () => {
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

  it('cannot reach the network from its page', async () => {
    const outcome = await studio.page.evaluate(async (url) => {
      const image = new Promise((resolve) => {
        const element = new Image()
        element.onload = () => {
          resolve('loaded')
        }
        element.onerror = () => {
          resolve('refused')
        }
        element.src = `${url}/image`
      })
      return {
        fetch: await fetch(`${url}/fetch`).then(
          () => 'answered',
          () => 'refused',
        ),
        image: await image,
      }
    }, origin)
    expect(outcome).toEqual({ fetch: 'refused', image: 'refused' })
    expect(hits).toEqual([])
  })

  it('cannot reach the network even where its policy would allow it: the session denies all', async () => {
    // A page without a policy, in the same session: only the session's own rule is left to stop it.
    const answer = await studio.app.evaluate(async ({ BrowserWindow, session }, url) => {
      const window = new BrowserWindow({
        show: false,
        webPreferences: { session: session.fromPartition('studio'), sandbox: true },
      })
      const failed = await window.loadURL(`${url}/page`).then(
        () => 'loaded',
        (error: Error) => error.message,
      )
      window.destroy()
      return failed
    }, origin)
    expect(answer).toContain('ERR_BLOCKED_BY_CLIENT')
    expect(hits).toEqual([])
  })

  it('has a strict policy on its page', async () => {
    const violated = await studio.page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const seen: string[] = []
          document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective))
          const script = document.createElement('script')
          script.textContent = 'window.pwned = true'
          document.head.append(script)
          const frame = document.createElement('iframe')
          frame.src = 'data:text/html,x'
          document.body.append(frame)
          setTimeout(() => {
            script.remove()
            frame.remove()
            resolve([...seen, 'pwned' in window ? 'ran' : 'did not run'])
          }, 300)
        }),
    )
    expect(violated).toEqual(expect.arrayContaining(['script-src-elem', 'frame-src', 'did not run']))
  })

  it('gets no permission', async () => {
    const states = await studio.page.evaluate(async () => ({
      notifications: await Notification.requestPermission(),
      camera: await navigator.permissions.query({ name: 'camera' }).then(({ state }) => state),
      clipboard: await navigator.clipboard.readText().then(
        () => 'given',
        (error: Error) => error.name,
      ),
      location: await navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state),
    }))
    expect(states).toEqual({
      notifications: 'denied',
      camera: 'denied',
      clipboard: 'NotAllowedError',
      location: 'denied',
    })
  })

  it('cannot leave its page or open another', async () => {
    const before = studio.page.url()
    const opened = await studio.page.evaluate((url) => {
      const result = window.open(`${url}/popup`)
      location.href = `${url}/away`
      return result === null
    }, origin)
    await studio.page.waitForTimeout(300)
    expect(opened).toBe(true)
    expect(studio.page.url()).toBe(before)
    expect(hits).toEqual([])
  })

  it('reads no file by address, and nothing that main did not list', async () => {
    const statuses = await studio.page.evaluate(async () => {
      const load = (src: string): Promise<string> =>
        new Promise((resolve) => {
          const image = new Image()
          image.onload = () => {
            resolve('loaded')
          }
          image.onerror = () => {
            resolve('refused')
          }
          image.src = src
        })
      return Promise.all(
        [
          'file:///etc/passwd',
          'media://item/nothing',
          'media://item/..%2f..%2fetc%2fpasswd',
          'media://job/x/cover.jpg',
          'app://engine/engine/index.html',
          'app://studio/../../../etc/passwd',
        ].map(load),
      )
    })
    expect(statuses).toEqual(Array(6).fill('refused'))
  })
})

describe('a call over the bridge', () => {
  it.each([
    ['a wrong type', 'tasks', 'cancel', { taskIds: 'all' }],
    ['an unknown field', 'tasks', 'retry', { taskId: 'a', force: true }],
    ['a value out of range', 'settings', 'set', { theme: 'pink' }],
    ['an argument where there is none', 'tasks', 'snapshot', { all: true }],
    ['a huge one', 'app', 'copyText', { text: 'x'.repeat(1_000_001) }],
    ['a prototype', 'settings', 'set', JSON.parse('{"__proto__": {"x": 1}, "x": 1}') as object],
  ])('with %s is refused with a typed error', async (_what, group, method, argument) => {
    const answer = await studio.page.evaluate(
      ([g, m, a]) => (window.mien as unknown as Record<string, Record<string, (arg: unknown) => unknown>>)[g]?.[m]?.(a),
      [group, method, argument] as const,
    )
    expect(answer).toMatchObject({ ok: false, error: { code: 'bad-argument' } })
  })

  it('takes no path from the page: only a file that was really dropped has one', async () => {
    const answers = await studio.page.evaluate(async (path) => {
      const drop = window.mien.intake.dropFace as unknown as (file: unknown) => Promise<unknown>
      const forged = new File(['x'], path)
      const tried = async (argument: unknown): Promise<unknown> => {
        try {
          return await drop(argument)
        } catch (error) {
          return String(error)
        }
      }
      return [await tried(forged), await tried({ path }), await tried(path)]
    }, sample.face)
    for (const answer of answers) expect(JSON.stringify(answer)).not.toContain('"ok":true')
    expect(answers[0]).toMatchObject({ ok: false, error: { code: 'bad-argument' } })
  })

  it('is heard from the studio’s own main frame only', async () => {
    const answer = await studio.app.evaluate(async ({ BrowserWindow, session, app }) => {
      const path = process.getBuiltinModule('node:path')
      const preload = path.join(app.getAppPath(), 'out', 'preload', 'studio.cjs')
      const window = new BrowserWindow({
        show: false,
        webPreferences: { preload, session: session.fromPartition('studio'), sandbox: true },
      })
      await window.loadURL('app://studio/studio/index.html')
      const result: unknown = await window.webContents.executeJavaScript('window.mien.tasks.snapshot()')
      window.destroy()
      return result
    })
    expect(answer).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  })

  it('opens no address of the page’s choice in the browser', async () => {
    const answer = await studio.page.evaluate(
      (url) => window.mien.app.openHelp({ topic: url } as unknown as { topic: 'keyring' }),
      origin,
    )
    expect(answer).toMatchObject({ ok: false, error: { code: 'bad-argument' } })
  })

  it('never gives a key back', async () => {
    const secret = 'sk-planted-0123456789'
    const told = await studio.page.evaluate(async (key) => {
      const { mien } = window
      const saved = await mien.profiles.save({ name: 'Cloud', baseUrl: 'https://api.example.com' })
      if (!saved.ok) return saved
      const profileId = saved.value.id
      const set = await mien.profiles.setKey({ profileId, key, keep: 'session' })
      const list = await mien.profiles.list()
      await mien.profiles.remove({ profileId })
      return { set, list }
    }, secret)
    const text = JSON.stringify(told)
    expect(text).toContain('"lastFour":"6789"')
    expect(text).not.toContain('planted')
  })
})
