/** @file Casts and ranges at the embedded service. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { maxPeople, type Clip, type Range } from '@shared/people/people.ts'
import { defaultOptions } from '@shared/options/swap-options.ts'
import type { CreateInput, ServiceClient } from '../../src/main/remote/client/service-client.ts'
import type { CreateOutcome } from '../../src/main/remote/client/parsing/outcomes.ts'
import { clip } from '../fixtures/people.ts'
import { services, type ServiceUnderTest } from './service-under-test.ts'

let service: ServiceUnderTest
let client: ServiceClient
let face: string
let other: string
let profile: string

const connect = async (): Promise<void> => {
  client = service.client((await service.client(null).newKey(1n)).shown)
}
const upload = async (content: string): Promise<string> =>
  client.uploadAsset(await service.file(`${content.slice(0, 9)}.jpg`, content), `${content.slice(0, 9)}.jpg`)
const create = async (extras: NonNullable<CreateInput['extras']>, videoUrl = ''): Promise<CreateOutcome> =>
  client.create({
    ...{ title: 'A swap', imageUrl: face, videoUrl: videoUrl === '' ? await upload('video') : videoUrl },
    ...{ durationMs: null, extras, idempotencyKey: randomUUID() },
  })
const hour = (count: number): Clip => ({
  ...{ id: 0, fromMs: 0, toMs: 3_600_000 },
  places: Array.from({ length: count }, (_, index) => [index * 400, 1280, 720, 260]),
})
const film = hour(2.5 * 3600)

describe.each(services)('%s', (name, open) => {
  beforeAll(async () => {
    service = await open()
    await connect()
  })
  beforeEach(async () => {
    ;[face = '', other = '', profile = ''] = await Promise.all(['face', 'other', 'profile'].map(upload))
  })
  afterAll(() => service.close())

  const range: Range = { parts: [{ fromMs: 0, toMs: 1000 }], rest: 'keep' }
  const clips = [clip(0, 0, 2000), clip(3, 4000, 6000)]

  it('are announced', async () => expect(await client.capabilities()).toMatchObject({ cast: maxPeople, range: true }))

  it('reach the engine, with the clips of each face', async () => {
    const cast = [
      { imageUrls: [other, profile], clips },
      { imageUrls: [other], clips: [clip(1, 0, 500)] },
    ]
    expect(await create({ cast, stay: [clip(9, 0, 10)], range, pictureUrls: [face] })).toMatchObject({
      kind: 'created',
    })
    await vi.waitFor(() => {
      expect(service.engine.last).toEqual({
        cast: [
          { pictures: ['other', 'profile'], clips },
          { pictures: ['other'], clips: [clip(1, 0, 500)] },
        ],
        ...{ stay: [clip(9, 0, 10)], range, options: defaultOptions },
      })
    })
  })

  it('are there again after a restart in the middle, and gone once the swap is deleted', async () => {
    const cast = [{ imageUrls: [face], clips }]
    const made = await create({ cast, range }, await upload('HOLD'))
    if (made.kind !== 'created') throw new Error(made.kind)
    await vi.waitFor(() => expect(service.engine.swaps).toContain('HOLD'))
    await service.restart({
      meanwhile: () => {
        service.engine.last = null
        return Promise.resolve()
      },
    })
    await connect()
    await vi.waitFor(() => expect(service.engine.last).toMatchObject({ cast: [{ pictures: ['face'], clips }], range }))
    await client.delete(made.objectId)
    expect((await client.fetchTasks([made.objectId])).get(made.objectId)?.status).toBe('cancelled')
  })

  it.each<[string, () => NonNullable<CreateInput['extras']>, object]>([
    [
      'a picture that is not there',
      () => ({ cast: [{ imageUrls: [face, `${service.baseUrl}/v1/assets/${randomUUID()}`], clips }] }),
      { code: 'file-missing', details: { field: 'cast' } },
    ],
    ['a face for nobody', () => ({ cast: [{ imageUrls: [face], clips: [] }] }), { code: 'request-refused' }],
    ['no face', () => ({ cast: [{ imageUrls: [], clips }] }), { code: 'request-refused' }],
    [
      'thirty-one people',
      () => ({ cast: Array.from({ length: 31 }, () => ({ imageUrls: [face], clips })) }),
      { code: 'request-refused' },
    ],
    [
      'in after out',
      () => ({ range: { parts: [{ fromMs: 2, toMs: 1 }], rest: 'drop' } }),
      { code: 'range-invalid', details: { reason: 'order' } },
    ],
    [
      'overlapping parts',
      () => ({
        range: {
          parts: [
            { fromMs: 0, toMs: 5 },
            { fromMs: 4, toMs: 9 },
          ],
          rest: 'drop',
        },
      }),
      { code: 'range-invalid', details: { reason: 'overlap' } },
    ],
  ])('are refused with %s', async (_what, extras, error) => {
    const before = service.engine.swaps.length
    expect(await create(extras())).toMatchObject({ kind: 'refused', error })
    expect(service.engine.swaps).toHaveLength(before)
  })

  // The services share what limits the size of a request.
  const tags = name === services[0]?.[0] ? [] : ['long']
  it('takes an hour of as many people as there can be, and no more than 8 MB', { tags }, async () => {
    const crowd = Array.from({ length: maxPeople }, () => ({ imageUrls: [face], clips: [film] }))
    expect(await create({ cast: crowd })).toMatchObject({ kind: 'created' })
    const tooLong = crowd.map((each) => ({ ...each, clips: [hour(15_000)] }))
    expect(await create({ cast: tooLong })).toMatchObject({ kind: 'refused', error: { code: 'too-large' } })
  })
})
