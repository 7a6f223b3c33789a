/** @file What is set up for a computer, settings as a file, and diagnostics, in the real app. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { close, listen } from '../fixtures/listen.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { choosePaths, launch, type Studio } from './app.ts'
import { launchWarm } from './warm.ts'

const dir = sharedDir()
let studio: Studio

async function openSettings({ page }: Studio): Promise<void> {
  await page.keyboard.press('ControlOrMeta+,')
  await page.getByRole('heading', { name: 'Updates' }).waitFor()
}

describe('on a computer with a policy', () => {
  const policy = () => join(dir, 'policy.json')
  beforeAll(async () => {
    const resultsFolder = join(dir, 'shared results')
    mkdirSync(resultsFolder)
    const profiles = [{ name: 'House service', baseUrl: 'https://swap.example/api' }]
    writeFileSync(policy(), JSON.stringify({ resultsFolder, updates: { check: false }, profiles, colour: 'red' }))
    studio = await launchWarm({ env: { MIEN_POLICY: policy() } })
  })
  afterAll(() => studio.quit())

  it('what is set up applies and is shown as locked; its mistakes are told, in the window and in the log', async () => {
    const { page, dataDir } = studio
    await expect(page.getByText('has unknown settings: colour').textContent()).resolves.toContain(policy())
    await openSettings(studio)
    await page.getByText('shared results').waitFor()
    expect(await page.getByRole('switch', { name: 'Check for updates' }).isDisabled()).toBe(true)
    expect(await page.getByRole('switch', { name: 'Download updates automatically' }).isDisabled()).toBe(false)
    expect(await page.locator('#results').getByRole('button', { name: 'Change' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Open House service' }).click()
    await page.getByText('Your administrator set up this service').waitFor()
    expect(await page.getByRole('button', { name: 'Remove service' }).count()).toBe(0)
    expect(readFileSync(join(dataDir, 'logs', 'mien.log'), 'utf8')).toContain('unknown colour')
  })

  it('settings are exported and imported; another program’s file is refused with words', async () => {
    const file = join(dir, 'settings.json')
    const { page } = studio
    const theme = (name: string) => page.getByRole('radio', { name })
    await choosePaths(studio, file)
    await openSettings(studio)
    await theme('Light').click()
    await page.locator('html[data-theme=light]').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Export…' }).click()
    await page.getByText('Settings exported').waitFor()
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ app: 'mien', settings: { theme: 'light' } })
    await theme('Dark').click()
    await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor()
    await page.getByRole('button', { name: 'Import…' }).click()
    await page.getByText('Settings imported').waitFor()
    await page.getByRole('radio', { name: 'Light', checked: true }).waitFor()
    writeFileSync(file, '{"app": "cutter", "theme": "dark"}')
    await page.getByRole('button', { name: 'Import…' }).click()
    await page.getByText('“settings.json” isn’t a Mien settings file').waitFor()
  })

  it('diagnostics are shown before they are saved, and hold no key', async () => {
    const key = 'planted-7f3d2b1a99c0'
    const file = join(dir, 'diagnostics.zip')
    await choosePaths(studio, file)
    const { page, dataDir } = studio
    const ids = await page.evaluate(async (secret) => {
      const listed = await window.mien.profiles.list()
      const id = listed.ok ? (listed.value.find(({ embedded }) => !embedded)?.id ?? '') : ''
      const set = await window.mien.profiles.setKey({ profileId: id, key: secret, keep: 'session' })
      return set.ok ? id : JSON.stringify(set)
    }, key)
    expect(ids).toMatch(/^set-up-/)
    writeFileSync(join(dataDir, 'logs', 'mien.old.log'), `[warn] a service said: who is ${key}?\n`)
    await openSettings(studio)
    await page.getByRole('button', { name: 'Save diagnostics…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('File', { exact: true }).selectOption('computer.json')
    expect(await dialog.locator('pre').textContent()).toMatch(/"VP9 decode": true/)
    await dialog.getByRole('button', { name: 'Save…' }).click()
    await page.getByText('Diagnostics saved').waitFor()
    const all = Object.entries(unzipSync(readFileSync(file)))
      .map(([name, data]) => `${name} ${strFromU8(data)}`)
      .join('\n')
    expect(all).toContain('logs/mien.old.log [warn] a service said: who is …?')
    expect(all).not.toContain(key)
  })
})

it('everything goes through the proxy that is set up, with its password; one that wants another password is named', async () => {
  const asked: (string | undefined)[] = []
  let password = 'right'
  const proxy = createServer((request, response) => {
    const credentials = request.headers['proxy-authorization']
    asked.push(credentials)
    const expected = `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`
    if (credentials !== expected) response.writeHead(407, { 'proxy-authenticate': 'Basic realm="x"' }).end()
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{"message": "behind the proxy"}')
  })
  proxy.on('connect', (request, socket) => {
    asked.push(request.headers['proxy-authorization'])
    socket.end(
      'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    )
  })
  const port = await listen(proxy)
  const profiles = JSON.stringify(
    ['http', 'https'].map((scheme) => ({ name: scheme, baseUrl: `${scheme}://swap.example`, allowHttp: true })),
  )
  studio = await launch({ env: { MIEN_PROXY: `http://ada:right@127.0.0.1:${port}`, MIEN_PROFILES: profiles } })
  onTestFinished(() => studio.quit())
  const { page, dataDir } = studio
  /** Tests the services at both addresses. */
  const test = (): Promise<string[]> =>
    page.evaluate(async () => {
      const listed = await window.mien.profiles.list()
      const own = listed.ok ? listed.value.filter(({ embedded }) => !embedded) : []
      const found: string[] = []
      for (const { id: profileId } of own) {
        await window.mien.profiles.setKey({ profileId, key: 'any-key-at-all', keep: 'session' })
        const tested = await window.mien.profiles.test({ profileId })
        found.push(tested.ok ? JSON.stringify(tested.value.error) : tested.error.code)
      }
      return found
    })
  const [plain] = await test()
  expect(plain).not.toMatch('proxy-password')
  expect(asked.some((credentials) => credentials !== undefined)).toBe(true)
  password = 'another'
  asked.length = 0
  expect(await test()).toEqual([expect.stringContaining('proxy-password'), expect.stringContaining('proxy-password')]) // prettier-ignore
  expect(asked.length).toBeLessThan(30)
  expect(readFileSync(join(dataDir, 'logs', 'mien.log'), 'utf8').includes('right')).toBe(false)
  await close(proxy)
})
