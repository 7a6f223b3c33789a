import { beforeEach, expect, it, vi } from 'vitest'
import type { WhenDone } from '@shared/ipc/app-state.ts'
import { canSleep, hasTray } from '../../../../../src/main/machine/system/system-programs.ts'
import { AllDone } from '../../../../../src/main/machine/system/all-done.ts'

let slept: number
let views: WhenDone[]
let allDone: AllDone

beforeEach(() => {
  vi.useFakeTimers()
  slept = 0
  views = []
  allDone = new AllDone({
    preset: () => 'notify',
    sleep: () => Promise.resolve(void (slept += 1)),
    onChanged: (view) => views.push(view),
    log: () => undefined,
  })
  allDone.allowSleep()
})

it('sleeps 30 s after the last swap, once', () => {
  allDone.choose('sleep')
  allDone.ended()
  expect(allDone.view.sleepsAt).toBe(Date.now() + 30_000)
  vi.advanceTimersByTime(29_000)
  expect(slept).toBe(0)
  vi.advanceTimersByTime(1000)
  expect(slept).toBe(1)
  expect(views.at(-1)).toEqual({ action: 'notify', canSleep: true, sleepsAt: null })
  allDone.ended()
  vi.advanceTimersByTime(60_000)
  expect(slept).toBe(1)
})

it.each<[string, () => void]>([
  ['cancels', () => allDone.cancelSleep()], // prettier-ignore
  ['chooses something else', () => allDone.choose('nothing')], // prettier-ignore
])('does not sleep if the user %s', (_what, act) => {
  allDone.choose('sleep')
  allDone.ended()
  act()
  vi.advanceTimersByTime(60_000)
  expect(slept).toBe(0)
  expect(allDone.view.sleepsAt).toBeNull()
})

it('is offered on Linux only where logind allows it', async () => {
  expect(await canSleep('linux', () => Promise.resolve({ stdout: 's "yes"\n' }))).toBe(true)
  expect(await canSleep('linux', () => Promise.resolve({ stdout: 's "challenge"\n' }))).toBe(false)
  expect(await canSleep('linux', () => Promise.reject(new Error('ENOENT')))).toBe(false)
  expect(await canSleep('darwin', () => Promise.reject(new Error('not asked')))).toBe(true)
})

it('is a tray on Linux only if one is on the session bus', async () => {
  expect(await hasTray('linux', () => Promise.resolve({ stdout: 'b true\n' }))).toBe(true)
  expect(await hasTray('linux', () => Promise.resolve({ stdout: 'b false\n' }))).toBe(false)
  expect(await hasTray('linux', () => Promise.reject(new Error('ENOENT')))).toBe(false)
  expect(await hasTray('win32', () => Promise.reject(new Error('not asked')))).toBe(true)
})
