import { describe, expect, it } from 'vitest'
import {
  barOf,
  eventText,
  hasColour,
  pictureOf,
  problemShort,
  recoveryActions,
  stateLine,
} from '../../../src/renderer/studio/logic/library/task-view.ts'
import type { Task } from '@shared/tasks/task.ts'
import { needsUser } from '@shared/tasks/task-row.ts'
import { everyState, progress, swap } from '../../fixtures/fake-tasks.ts'

const now = new Date(2026, 10, 20, 10, 42).getTime()
const tasks = new Map(everyState(now).map((task) => [task.id, task]))
const get = (id: string): Task => tasks.get(id) ?? swap(id, now)

describe('the state line of a card', () => {
  it.each([
    ['processing', 'Processing 62%', '50 s left'],
    ['queued', 'Queued', 'on this computer'],
    ['uploading', 'Uploading 40%', '12 of 31 MB'],
    ['waiting', 'Waiting', 'sent 2 min ago'],
    ['unconfirmed', 'Needs a decision', ''],
    ['interview', 'Finished', '10:39'],
    ['paused', 'Paused', 'no connection'],
    ['failed', 'Failed', ''],
    ['missing', 'Not found at the service', ''],
  ])('%s is “%s · %s”', (id, word, detail) => expect(stateLine(get(id), now)).toMatchObject({ word, detail }))

  it('shows a service’s own word that Mien does not know, in quotes', () => {
    const task = swap('x', now, { state: 'processing', serviceStatus: 'Rendering pass 2' })
    expect(stateLine(task, now).word).toBe('“Rendering pass 2”')
  })

  it.each(['uploading', 'submitting'] as const)('%s to this computer looks queued, without a bar', (state) => {
    const task = swap('x', now, { state, profileId: 'this-computer', progress: progress({ share: 0.4 }) })
    expect(stateLine(task, now)).toEqual({ state: 'queued', word: 'Queued', detail: 'on this computer' })
    expect(barOf(task, now)).toBeNull()
    expect(barOf({ ...task, profileId: 'cloud' }, now)?.share).toBe(0.4)
  })

  it('says about, and no share, where it only guesses', () => {
    const guess = progress({ share: 0.4, etaMs: 180_000, estimated: true })
    const task = swap('x', now, { state: 'processing', serviceStatus: null, progress: guess })
    expect(stateLine(task, now)).toMatchObject({ word: 'Processing', detail: 'about 3 min left' })
  })
})

it('only what the user must solve needs the user', () => {
  expect([...tasks.values()].filter(needsUser).map((task) => task.id)).toEqual(['unconfirmed', 'failed', 'missing'])
  expect(needsUser(swap('x', now, { state: 'queued', pause: 'key' }))).toBe(true)
  expect(needsUser(swap('x', now, { state: 'kept', pause: 'key' }))).toBe(false)
})

it('unfinished is grey, finished and first frames have colour', () => {
  expect([...tasks.values()].filter(hasColour).map((task) => task.id)).toEqual([
    ...['processing', 'interview', 'portrait', 'archive', 'reel', 'gallery', 'take-1'],
  ])
  expect(pictureOf(get('processing'))).toBe('wide-after.jpg')
  expect(pictureOf(get('queued'))).toBe('t-clip2.jpg')
})

it.each([
  ['failed', 'No face found in this video. Use one that shows the person’s face.', 'other-video'],
  ['unconfirmed', 'The connection was lost while sending.', 'decide'],
  ['missing', 'Studio Cloud no longer lists this swap.', 'swap-again'],
])('a %s card says “%s” and offers %s', (id, text, recovery) => {
  expect(problemShort(get(id), 'Studio Cloud')).toBe(text)
  expect(recoveryActions(get(id))[0]).toBe(recovery)
})

it.each([
  ['engine-crashed', {}, 'try-again'],
  ['no-face-in-picture', {}, 'other-face'],
  ['codec-unsupported', {}, 'other-video'],
  ['key-refused', {}, 'replace-key'],
  ['needs-upload-target', {}, 'swap-again'],
  ['disk-full', {}, 'try-again'],
  ['range-invalid', {}, 'swap-again'],
  ['no-face-in-video', { parts: 1 }, 'swap-again'],
  ['file-missing', { name: 'clip.mp4' }, 'other-video'],
  ['file-missing', { name: 'mona-lisa.jpg' }, 'other-face'],
] as const)('after %s with %j the first offer is %s', (code, details, recovery) => {
  expect(recoveryActions(swap('x', now, { state: 'failed', error: { code, details } }))[0]).toBe(recovery)
})

it('tells what happened in sentences', () => {
  const { events, result } = swap('x', now)
  const bare = { at: now, what: 'succeeded' as const, details: {} }
  expect(events.map((event) => eventText(event, 'this computer'))).toEqual([
    ...['Added', 'Sent to this computer', 'Started on this computer', 'Swapped on this computer, 150 frames at 21 fps'],
    'Saved to Movies / Mien',
  ])
  expect(eventText(bare, 'Agency', result)).toBe('Swapped on Agency, 150 frames at 21 fps')
  expect(eventText(bare, 'Agency')).toBe('Swapped on Agency')
})
