import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { settingsSchema, type Settings } from '@shared/settings/settings.ts'
import type { Task } from '@shared/tasks/task.ts'
import { Announcer } from '../../../../../src/main/app/window/announcer.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'

let tasks: Task[]
let told: { title: string; body: string; silent: boolean; onClick: () => void }[]
let did: string[]
let focused: boolean
let settings: Settings
let announcer: Announcer

const start = (...list: Task[]): void => {
  tasks = list
  announcer = new Announcer({
    desktop: {
      isFocused: () => focused,
      notify: (notification) => told.push(notification),
      progress: (share) => did.push(`progress ${String(share)}`),
      badge: (count) => did.push(`badge ${String(count)}`),
      attention: (on) => did.push(`attention ${String(on)}`),
    },
    settings: () => settings,
    tasks: () => tasks,
    done: () => 0,
    wantsAllFinished: () => settings.notifyAllFinished,
    onAllEnded: () => did.push('all ended'),
    open: (taskId) => did.push(`open ${String(taskId)}`),
  })
}
const change = (id: string, part: Partial<Task>): void => {
  const task = tasks.find((each) => each.id === id)
  if (!task) throw new Error(id)
  const next = { ...task, ...part }
  tasks = tasks.map((each) => (each.id === id ? next : each))
  announcer.heard([next], [])
}
const one = (id: string, createdAt: number): Task => makeTask({ id, title: id, state: 'processing', createdAt })

beforeEach(() => {
  vi.useFakeTimers()
  told = []
  did = []
  focused = false
  settings = settingsSchema.parse({})
})
afterEach(() => {
  announcer.dispose()
})

it('tells of a full disk at once, and again only after a swap was finished', () => {
  start(one('a', 0), one('b', 10))
  const full = (): void => {
    change('a', { state: 'queued', pause: 'disk-full' })
    change('a', { state: 'processing', pause: null })
  }
  full()
  full()
  expect(told.map(({ title }) => title)).toEqual(['The disk is full'])
  told[0]?.onClick()
  expect(did).toContain('open a')
  change('b', { state: 'kept' })
  full()
  expect(told).toHaveLength(2)
})

it('tells once of swaps that end together, without a sound, and opens the library', () => {
  start(one('a', 0), one('b', 10))
  change('a', { state: 'kept' })
  vi.advanceTimersByTime(5000)
  expect(told).toEqual([])
  change('b', { state: 'kept' })
  vi.advanceTimersByTime(5000)
  expect(told).toMatchObject([{ title: 'All swaps are finished', body: 'a, b', silent: true }])
  expect(did).toContain('badge 2')
  expect(did).toContain('attention true')
  told[0]?.onClick()
  expect(did.at(-1)).toBe('open null')
})

it('opens the swap of a notification about one', () => {
  start(one('a', 0), one('b', 60_000))
  change('a', { state: 'failed' })
  vi.advanceTimersByTime(5000)
  expect(told).toMatchObject([{ title: 'A swap needs attention', body: 'a' }])
  told[0]?.onClick()
  expect(did.at(-1)).toBe('open a')
})

it('does not call a swap the last one while another is paused', () => {
  start(one('a', 0), { ...one('b', 60_000), pause: 'user' })
  change('a', { state: 'kept' })
  vi.advanceTimersByTime(5000)
  expect(told).toMatchObject([{ title: 'Swap finished', body: 'a' }])
})

it('is silent while the user looks, and after a look', () => {
  start(one('a', 0), one('b', 60_000))
  focused = true
  change('a', { state: 'kept' })
  focused = false
  change('b', { state: 'kept' })
  announcer.seen()
  vi.advanceTimersByTime(5000)
  expect(told).toEqual([])
  expect(did.filter((each) => each === 'all ended')).toHaveLength(1)
  expect(did).toContain('badge 0')
})

it('does not take a pause or a cancel for an end', () => {
  start(one('a', 0), one('b', 60_000))
  change('a', { pause: 'user' })
  change('b', { state: 'cancelled' })
  vi.advanceTimersByTime(5000)
  expect(told).toEqual([])
  expect(did).not.toContain('all ended')
})

it('shows the progress of all, and none at the end', () => {
  start(one('a', 0))
  expect(did).toEqual(['progress 0'])
  change('a', { state: 'kept' })
  vi.advanceTimersByTime(1000)
  expect(did).toContain('progress null')
})

it('tells nothing of what changes after it was disposed, as at a quit', () => {
  start(one('a', 0))
  announcer.dispose()
  did = []
  change('a', { state: 'kept' })
  vi.advanceTimersByTime(5000)
  expect([did, told]).toEqual([[], []])
})
