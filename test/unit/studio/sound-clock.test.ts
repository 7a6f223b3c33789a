import { beforeEach, expect, it, vi } from 'vitest'
import { SoundClock } from '../../../src/renderer/studio/media/sound-clock.ts'

beforeEach(() => vi.useFakeTimers())

it.each([0.1, 0.25, 1, 2])('without sound goes %d times as fast as time', async (speed) => {
  const clock = new SoundClock(null, false)
  clock.speed = speed
  await clock.start(3)
  vi.advanceTimersByTime(2000)
  expect(clock.now).toBeCloseTo(3 + 2 * speed)
  clock.stop()
  vi.advanceTimersByTime(2000)
  expect(clock.now).toBeCloseTo(3 + 2 * speed)
})

it('follows a sound that plays, at its speed, and is silent below half of it', async () => {
  const play = vi.fn(() => Promise.resolve())
  const sound = { play, pause: vi.fn(), playbackRate: 1, currentTime: 0, duration: 10, ended: false, error: null }
  vi.stubGlobal('Audio', function () {
    return sound
  })
  const clock = new SoundClock('media://sound', false)
  clock.speed = 2
  await clock.start(0)
  vi.advanceTimersByTime(1000)
  sound.currentTime = 1.5
  expect([clock.now, sound.playbackRate, play.mock.calls.length]).toEqual([1.5, 2, 1])
  clock.stop()
  clock.speed = 0.25
  await clock.start(4)
  vi.advanceTimersByTime(2000)
  expect([clock.now, play.mock.calls.length]).toEqual([4.5, 1])
})
