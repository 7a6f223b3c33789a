/** @file Results that can never be had: said on stderr, and given up with an exit code; the swap stays in the library. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/clip.ts'
import { jsonLines, startMien, type Ran } from '../fixtures/command.ts'
import { FakeService, file, listOf, redirect, routes, sendJson } from '../fixtures/fake-service.ts'
import { runWarm } from './warm.ts'

let dir: string
let service: FakeService
let created = 0

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'mien-e2e-results-'))
  service = await new FakeService().start()
  service.acceptSwaps()
  service.replies.set(routes.create, (_request, response) => {
    sendJson(response, { objectID: `object-${(created += 1)}` })
  })
  service.replies.set('GET /page', file('<title>Sign in</title>', 'text/html'))
  service.replies.set('GET /round', redirect('/round'))
  service.replies.set('GET /local', redirect('file:///etc/passwd'))
  await mien(['profile', 'add', 'Agency', '--base-url', service.baseUrl])
  await mien(['key', 'set', '--profile', 'Agency'], 'sk-of-the-agency')
})
afterAll(async () => {
  await service.stop()
  rmSync(dir, { recursive: true, force: true })
})

const all = (args: string[]): string[] => [...args, '--json', '--data-dir', join(dir, 'data')]
const mien = (args: string[], input = ''): Promise<Ran> => runWarm(all(args), { cwd: dir, input })
const submit = ['submit', '--profile', 'Agency', '--face', sample.face, '--video', sample.video, '--wait']

/** From now on every swap is finished, with this address. */
function finishWith(videoUrl: string | undefined): void {
  const done = { status: 'completed', ...(videoUrl ? { Video: { videoUrl } } : {}) }
  service.replies.set(
    routes.list,
    listOf(() => done),
  )
}

describe('submit --wait ends with 4, and says why, where the result', () => {
  it.each<[string, () => string | undefined, RegExp]>([
    ['is a page', () => `${service.baseUrl}/page`, /result can’t be read/],
    ['is a file of this computer', () => 'file:///etc/passwd', /link that Mien doesn’t open/],
    ['is in its own address', () => 'data:video/mp4;base64,AAAA', /link that Mien doesn’t open/],
    ['leads to a file of this computer', () => `${service.baseUrl}/local`, /link that Mien doesn’t open/],
    ['leads in a circle', () => `${service.baseUrl}/round`, /result can’t be downloaded/],
    ['has no address', () => undefined, /There’s no result/],
  ])('%s', async (_what, address, why) => {
    finishWith(address())
    const ran = await mien(submit)
    expect(ran, ran.stderr).toMatchObject({ code: 4 })
    expect(ran.stderr).toMatch(why)
    expect(ran.stderr).toContain('stays in the library')
    expect(ran.stderr).not.toContain('add the file')
    expect(jsonLines(ran)).toMatchObject([{ state: 'succeeded', error: { code: expect.any(String) as string } }])
  })
})

it('watch ends with 4 for such a result, too', async () => {
  finishWith('file:///etc/passwd')
  const ran = await mien(['watch'])
  expect(ran, ran.stderr).toMatchObject({ code: 4 })
  expect(ran.stderr).toContain('stays in the library')
})

it('trouble that passes is said, and tried again until a signal ends it', async () => {
  let isSaid = false
  service.replies.set('GET /later.mp4', (_request, response) => {
    response.writeHead(503).end()
    if (isSaid) child.kill('SIGINT')
  })
  finishWith(`${service.baseUrl}/later.mp4`)
  const { child, ended } = startMien(all(submit), {
    cwd: dir,
    onProgress: (_pid, stderr) => (isSaid = /Fetching the result .*having problems/.test(stderr)),
  })
  const ran = await ended
  expect(ran, ran.stderr).toMatchObject({ code: 130 })
  expect(isSaid).toBe(true)
})
