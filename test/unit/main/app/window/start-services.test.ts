import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { Notices } from '../../../../../src/main/app/notices.ts'
import { ServiceStart } from '../../../../../src/main/app/window/start-services.ts'

let starts: number
let failure: MienError | null
let notices: Notices
let service: ServiceStart

beforeEach(() => {
  vi.useFakeTimers()
  starts = 0
  failure = new MienError('disk-full')
  notices = new Notices(() => undefined)
  const start = (): Promise<void> => {
    starts += 1
    return failure ? Promise.reject(failure) : Promise.resolve()
  }
  service = new ServiceStart(start, notices, { info: () => undefined, warn: () => undefined })
})
afterEach(() => {
  service.dispose()
})

it('tries again, less and less often, until the service starts; the notice goes then', async () => {
  await service.try()
  expect(notices.list()).toMatchObject([{ kind: 'service-failed', error: { code: 'disk-full' } }])
  await vi.advanceTimersByTimeAsync(2000 + 4000 + 8000)
  expect(starts).toBe(4)
  failure = null
  await vi.advanceTimersByTimeAsync(16_000)
  expect(starts).toBe(5)
  expect(notices.list()).toEqual([])
  await service.started
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(starts).toBe(5)
})

it('tries at once when the user asks for it, and once at a time', async () => {
  await service.try()
  failure = null
  await Promise.all([service.try(), service.try()])
  expect(starts).toBe(2)
  expect(notices.list()).toEqual([])
})

it('does not try again by itself what only a newer Mien can open', async () => {
  failure = new MienError('data-newer', { data: 'service' })
  await service.try()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(starts).toBe(1)
})

it('does not try again after it was disposed', async () => {
  await service.try()
  service.dispose()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(starts).toBe(1)
})
