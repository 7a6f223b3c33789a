/** @file What any service with the interface does, seen through the client. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServiceClient } from '../../src/main/remote/client/service-client.ts'
import type { ServiceTask } from '../../src/main/remote/client/parsing/read-task.ts'
import { dialectService, makeSwap, services, until, type ServiceUnderTest } from './service-under-test.ts'

const userId = 2n ** 64n - 1n

describe.each<readonly [string, () => Promise<ServiceUnderTest>]>([
  ...services,
  ['a service with prefix, envelope, other spellings and other header', dialectService],
])('%s', (_, open) => {
  let service: ServiceUnderTest
  let client: ServiceClient
  let key: string

  beforeAll(async () => {
    service = await open()
    key = (await service.client(null).newKey(userId)).shown
    client = service.client(key)
  })
  afterAll(() => service.close())

  const create = (video: string): Promise<string> =>
    makeSwap(service, client, video, { name: 'clip é.mp4', durationMs: 800 })
  const taskOf = async (id: string): Promise<ServiceTask | undefined> => (await client.fetchTasks([id])).get(id)
  const ended = (id: string) =>
    until(
      () => taskOf(id),
      (task) => task !== undefined && !['waiting', 'processing'].includes(task.status),
    )

  it('does a whole swap and tells every step of it', async () => {
    const id = await create('HOLD for steps')
    const midway = await until(
      () => taskOf(id),
      (task) => task?.work?.framesDone === 10 && task.work.preview?.frame === 10,
    )
    expect(midway).toMatchObject({
      status: 'processing',
      progress: { share: 0.48, etaMs: 200 },
      resultUrl: null,
      durationMs: 800,
    })
    const preview = midway?.work?.preview
    const before = await service.file('before.jpg', '')
    await client.download(preview?.beforeUrl ?? '', before)
    expect(await readFile(before, 'utf8')).toBe('before 10')
    service.engine.release()
    const done = await ended(id)
    expect(done).toMatchObject({
      objectId: id,
      status: 'succeeded',
      statusWord: 'completed',
      error: null,
      progress: { share: 1 },
      width: 320,
      height: 180,
      durationMs: 800,
      work: { framesDone: 20, result: { frames: 20, swappedFrames: 19, videoCodec: 'avc', audioCodec: 'aac' } },
    })
    const raw = done?.raw ?? ''
    const textOf = (name: string): string => new RegExp(`"${name}":"([^"]+)"`).exec(raw)?.[1] ?? ''
    expect(raw).toContain(`"userId":${String(userId)}`)
    expect(Date.parse(textOf('createdAt'))).toBeGreaterThan(Date.now() - 60_000)
    const video = await service.file('out.mp4', '')
    await client.download(done?.resultUrl ?? '', video)
    expect(await readFile(video, 'utf8')).toBe('swapped HOLD for steps')
    expect(raw).toContain(`"size":${String('swapped HOLD for steps'.length)}`)
    const files = [done?.coverUrl, textOf('audioUrl'), ...(done?.avatarUrls ?? [])]
    expect(files).toHaveLength(4)
    for (const [n, url] of files.entries()) {
      const path = await service.file(`file-${String(n)}`, '')
      await client.download(url ?? '', path)
      expect(await readFile(path, 'utf8')).toBe(['cover.jpg', 'audio.m4a', 'face-0.jpg', 'face-1.jpg'][n])
    }
  })

  it('makes one swap of one idempotency key', async () => {
    const face = await client.uploadAsset(await service.file('face.jpg', 'a face'), 'face.jpg')
    const clip = await client.uploadAsset(await service.file('clip.mp4', 'a clip'), 'clip.mp4')
    const input = { title: 'Once', imageUrl: face, videoUrl: clip, durationMs: null, idempotencyKey: randomUUID() }
    const [one, two] = [await client.create(input), await client.create(input)]
    expect(one.kind).toBe('created')
    expect(two).toEqual(one)
    expect(await client.create({ ...input, title: 'Another' })).toMatchObject({
      kind: 'refused',
      error: { code: 'request-refused' },
    })
  })

  it('answers in the order asked and leaves out what it does not know', async () => {
    const [a, b] = [await create('a'), await create('b')]
    const found = await client.fetchTasks([b, 'nobody', a])
    expect([...found.keys()]).toEqual([b, a])
    await Promise.all([a, b].map(ended))
  })

  it('cancels what is under way and what is queued', async () => {
    const running = await create('HOLD cancelled')
    const queued = await create('never begun')
    await until(
      () => taskOf(running),
      (task) => task?.status === 'processing',
    )
    await client.cancel(queued)
    await client.cancel(running)
    for (const id of [running, queued])
      expect(await taskOf(id)).toMatchObject({ status: 'cancelled', error: null, resultUrl: null })
    await ended(await create('next'))
    expect(service.engine.swaps).not.toContain('never begun')
  })

  it('removes a swap with its files and uploads', async () => {
    const before = new Set(await service.files())
    const added = async (): Promise<string[]> => (await service.files()).filter((file) => !before.has(file))
    const id = await create('to be removed')
    const done = await ended(id)
    expect(await added()).not.toEqual([])
    await client.delete(id)
    // Those of other tests' swaps may still be on their way out.
    await expect.poll(added).toEqual([])
    await expect(client.download(done?.resultUrl ?? '', await service.file('x', ''))).rejects.toMatchObject({
      code: 'result-unavailable',
    })
    expect(await taskOf(id)).toMatchObject({ resultUrl: null })
  })

  it('lists keys without showing them, and revokes at once', async () => {
    const keys = service.client(null)
    const fresh = (await keys.newKey(42n)).shown
    const listed = await keys.listKeys(42n)
    expect(listed).toHaveLength(1)
    expect(listed[0]?.shown).not.toContain(fresh.slice(0, -4))
    expect(listed[0]?.shown.slice(-4)).toBe(fresh.slice(-4))
    const mine = service.client(fresh)
    await mine.fetchTasks(['x'])
    await keys.deleteKey({ id: listed[0]?.id ?? '' })
    await expect(mine.fetchTasks(['x'])).rejects.toMatchObject({ code: 'key-refused' })
    expect(await keys.listKeys(42n)).toEqual([])
    const another = (await keys.newKey(42n)).shown
    await keys.deleteKey({ sk: another })
    await expect(service.client(another).fetchTasks(['x'])).rejects.toMatchObject({ code: 'key-refused' })
  })

  it('keeps everything over a restart at another port, and takes up what was under way', async () => {
    const finished = await create('before the restart')
    await ended(finished)
    const running = await create('HOLD over restart')
    const queued = await create('queued over restart')
    await until(
      () => taskOf(running),
      (task) => task?.work?.framesDone === 10,
    )
    await service.restart()
    // Keys of the embedded service end with it; jobs belong to the user.
    if (service.name.startsWith('cluster')) client = service.client(key)
    else client = service.client((await service.client(null).newKey(userId)).shown)
    await until(
      () => taskOf(running),
      (task) => task?.work?.framesDone === 10,
    )
    service.engine.release()
    const tasks = await Promise.all([finished, running, queued].map(ended))
    for (const [n, task] of tasks.entries()) {
      expect(task).toMatchObject({ status: 'succeeded' })
      const path = await service.file(`after-${String(n)}`, '')
      await client.download(task?.resultUrl ?? '', path)
      expect(await readFile(path, 'utf8')).toMatch(/^swapped .* restart$/)
    }
  })
})
