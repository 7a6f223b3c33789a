/** @file The commands that work with a library, each a process of its own, with a real keyring and a real service. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sample, shortClip } from '../fixtures/clip.ts'
import { jsonLines, runMien, startMien, type Ran } from '../fixtures/command.ts'
import { FakeService, file, listOf, routes } from '../fixtures/fake-service.ts'
import { launch } from './app.ts'
import { runWarm } from './warm.ts'

const secret = 'sk-secret-of-the-agency-8f2c'
const dir = mkdtempSync(join(tmpdir(), 'mien-e2e-library-'))
const data = join(dir, 'data')
const video = await shortClip(join(dir, 'clip.mp4'))
const clip = readFileSync(video)
/** Its media data. A result is signed, so its boxes differ. */
const mediaData = clip.subarray(clip.indexOf('mdat'), clip.indexOf('moov') - 4)
const isClip = (path: string): boolean => readFileSync(path).includes(mediaData)
let service: FakeService

const mien = (args: string[], input = ''): Promise<Ran> => runWarm([...args, '--data-dir', data], { cwd: dir, input })

/** The lines of a command that has to succeed. */
async function lines(args: string[], input = ''): Promise<Record<string, unknown>[]> {
  const ran = await mien([...args, '--json'], input)
  expect(ran, ran.stderr).toMatchObject({ code: 0 })
  return jsonLines(ran)
}

/** Lists every swap so from now on. */
function list(status: string, more: object = {}): void {
  service.replies.set(
    routes.list,
    listOf(() => ({ status, ...more })),
  )
}

function finish(status = 'completed'): void {
  list(status, { Video: { videoUrl: `${service.baseUrl}/out.mp4`, id: 0 } })
}

beforeAll(async () => {
  service = await new FakeService().start()
  service.acceptSwaps()
  list('Baking')
  service.replies.set('GET /out.mp4', file(clip))
})
afterAll(async () => {
  await service.stop()
  rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

const media = ['--face', sample.face, '--video', video]

describe('the library from the command line', () => {
  it('keeps services without a network, and shows them', async () => {
    const [added] = await lines([
      'profile',
      'add',
      'Agency',
      '--base-url',
      `${service.baseUrl}/`,
      '--duration-unit',
      's',
    ])
    expect(added).toMatchObject({ name: 'Agency', baseUrl: service.baseUrl, durationUnit: 's', embedded: false })
    expect(service.seen).toEqual([])
    expect((await lines(['profile', 'list'])).map(({ name }) => name)).toEqual(['This computer', 'Agency'])
    expect(await mien(['profile', 'add', 'agency', '--base-url', 'https://x.example'])).toMatchObject({ code: 2 })
    const typo = await mien(['profile', 'add', 'Other', '--base-url', 'https://user:pw@x.example', '--json'])
    expect(typo.code).toBe(3)
    expect(typo.stdout + typo.stderr).not.toContain('pw')
  })

  it('takes a key from the standard input into the keychain, and tells its last four characters', async () => {
    const broken = await mien(['key', 'set', '--profile', 'Agency'], 'sk-with\na-line-break\n')
    expect(broken.code).toBe(2)
    const [status] = await lines(['key', 'set', '--profile', 'agency'], `${secret}\n`)
    expect(status).toMatchObject({ kept: 'keychain', lastFour: '8f2c' })
    expect(await lines(['key', 'status', '--profile', 'Agency'])).toMatchObject([{ lastFour: '8f2c' }])
    const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const holding = files.filter((file) => {
      const path = join(file.parentPath, file.name)
      return statSync(path).size < 5_000_000 && readFileSync(path).includes(secret)
    })
    expect(holding).toEqual([])
  })

  it('tests a connection', async () => {
    expect(await lines(['profile', 'test', 'Agency'])).toMatchObject([
      { reached: true, tls: 'none', path: '/v1/faceswap-opanpai/listbyids', keyAccepted: true, error: null },
    ])
  })

  it('submits, shows the answer as it came, watches and fetches', async () => {
    const [sent] = await lines(['submit', '--profile', 'Agency', ...media, '--title', '<b>Launch</b>'])
    expect(sent).toMatchObject({ profile: 'Agency', objectId: 'object-1', title: '<b>Launch</b>', state: 'waiting' })
    expect(service.creates[0]?.body).toMatchObject({ title: '<b>Launch</b>', duration: 1 })
    const id = String(sent?.['id'])
    finish()
    const watched = await lines(['watch', id])
    expect(watched.at(-1)).toMatchObject({ id, state: 'kept', progress: 1, error: null })
    expect(isClip(String(watched.at(-1)?.['result']))).toBe(true)
    const [shown] = await lines(['show', id.slice(0, 8)])
    expect(JSON.parse(String(shown?.['raw']))).toMatchObject({ objectId: 'object-1', status: 'completed' })
    expect(await lines(['list'])).toMatchObject([{ id, state: 'kept' }])
    await lines(['fetch', id, '--out', 'copy.mp4'])
    expect(isClip(join(dir, 'copy.mp4'))).toBe(true)
  })

  it('--wait and watch end with 4 where a result can never be had, and the swap stays', async () => {
    list('completed', { Video: { videoUrl: 'file:///etc/passwd' } })
    for (const args of [['submit', '--profile', 'Agency', ...media, '--wait'], ['watch']]) {
      const ran = await mien([...args, '--json'])
      expect(ran, ran.stderr).toMatchObject({ code: 4 })
      expect(ran.stderr).toContain('stays in the library')
      expect(ran.stderr).not.toContain('add the file')
      expect(jsonLines(ran).at(-1)).toMatchObject({ state: 'succeeded', error: { code: 'result-address-invalid' } })
    }
  })

  it('sends an address that this computer cannot open as it is, and says so', async () => {
    const gone = 'http://127.0.0.1:9/clip.mp4?sig=1'
    const ran = await mien(['submit', '--profile', 'Agency', '--face', sample.face, '--video', gone, '--json'])
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    expect(ran.stderr).toContain('Mien sends it to Agency unchecked')
    expect(service.creates.at(-1)?.body).toMatchObject({ videoUrl: gone })
    const here = ['submit', '--profile', 'This computer', '--face', sample.face, '--video', gone]
    expect((await mien(here)).code).toBe(3)
    const { id } = JSON.parse(ran.stdout) as { id: string }
    finish()
    expect((await lines(['watch', id])).at(-1)).toMatchObject({ state: 'kept' })
  }, 60_000)

  it('--no-fetch leaves an address for a single use to the service', async () => {
    const once = `${service.baseUrl}/once.mp4`
    const submitted = ['submit', '--profile', 'Agency', '--face', sample.face, '--video', once, '--no-fetch', '--wait']
    expect((await lines(submitted)).at(-1)).toMatchObject({ state: 'kept' })
    expect(service.count('GET /once.mp4')).toBe(0)
    expect((await mien(submitted.with(2, 'This computer'))).code).toBe(2)
  }, 60_000)

  it('watch goes on with the swaps of a studio that is closed', async () => {
    list('Baking')
    const [added] = await lines(['submit', '--profile', 'Agency', ...media])
    const id = String(added?.['id'])
    const studio = await launch({ dataDir: data })
    const { child, ended } = startMien(['watch', '--json', '--data-dir', data], { cwd: dir })
    onTestFinished(() => void child.kill())
    const isSeen = new Promise((resolve) => child.stdout?.once('data', resolve))
    await Promise.race([isSeen, ended])
    await studio.quit({ keep: true })
    finish()
    const ran = await ended
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    expect(ran.stderr).toContain('Mien was closed. This command continues the swaps.')
    // An earlier test left another swap, which is watched too.
    expect(jsonLines(ran).findLast((line) => line['id'] === id)).toMatchObject({ state: 'kept' })
  })

  it('reads beside an open studio, and does not change what the studio has', async () => {
    const studio = await launch({ dataDir: data })
    try {
      expect((await lines(['list'])).length).toBe(5)
      expect(await lines(['profile', 'list'])).toHaveLength(2)
      const visible = () =>
        studio.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().some((window) => window.isVisible()))
      await studio.app.evaluate(({ BrowserWindow }) => {
        for (const window of BrowserWindow.getAllWindows()) window.hide()
      })
      // A process of its own: the studio's holds the lock.
      const ran = await runMien(['profile', 'remove', 'Agency', '--json', '--data-dir', data], { cwd: dir })
      expect(ran.code).toBe(5)
      expect(ran.stderr).toContain('Mien is already open')
      expect(await lines(['profile', 'list'])).toHaveLength(2)
      const [id = ''] = (await lines(['list']))
        .filter(({ result }) => existsSync(String(result)))
        .map((task) => String(task['id']))
      const fetched = await runMien(['fetch', id, '--out', 'beside.mp4', '--json', '--data-dir', data], { cwd: dir })
      expect(fetched.code, fetched.stderr).toBe(0)
      expect(isClip(join(dir, 'beside.mp4'))).toBe(true)
      expect(await visible()).toBe(false)
    } finally {
      await studio.quit({ keep: true })
    }
    expect((await lines(['profile', 'remove', 'Agency'])).length).toBe(0)
    expect(await lines(['profile', 'list'])).toHaveLength(1)
  })
})
