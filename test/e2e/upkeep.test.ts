/** @file What is set up for a computer, in the real app: by a policy, and a proxy. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { close, listen } from '../fixtures/listen.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { launch } from './app.ts'
import { launchWarm } from './warm.ts'

it('what is set up applies and is shown as locked; its mistakes are told, in the window and in the log', async () => {
  const dir = tempDir()
  const [policy, resultsFolder] = [join(dir, 'policy.json'), join(dir, 'shared results')]
  mkdirSync(resultsFolder)
  const profiles = [{ name: 'House service', baseUrl: 'https://swap.example/api' }]
  writeFileSync(policy, JSON.stringify({ resultsFolder, updates: { check: false }, profiles, colour: 'red' }))
  const studio = await launchWarm({ env: { MIEN_POLICY: policy } })
  onTestFinished(() => studio.quit())
  const { page, dataDir } = studio
  await expect(page.getByText('has unknown settings: colour').textContent()).resolves.toContain(policy)
  await page.keyboard.press('ControlOrMeta+,')
  await page.getByRole('heading', { name: 'Updates' }).waitFor()
  await page.getByText('shared results').waitFor()
  expect(await page.getByRole('switch', { name: 'Check for updates' }).isDisabled()).toBe(true)
  expect(await page.getByRole('switch', { name: 'Download updates automatically' }).isDisabled()).toBe(false)
  expect(await page.locator('#results').getByRole('button', { name: 'Change' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Open House service' }).click()
  await page.getByText('Your administrator set up this service').waitFor()
  expect(await page.getByRole('button', { name: 'Remove service' }).count()).toBe(0)
  expect(readFileSync(join(dataDir, 'logs', 'mien.log'), 'utf8')).toContain('unknown colour')
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
  const studio = await launch({ env: { MIEN_PROXY: `http://ada:right@127.0.0.1:${port}`, MIEN_PROFILES: profiles } })
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
