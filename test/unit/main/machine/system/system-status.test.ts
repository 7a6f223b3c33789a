import { EventEmitter } from 'node:events'
import type { PowerMonitor } from 'electron'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openSystemStatus } from '../../../../../src/main/machine/system/system-status.ts'
import type { SystemEvent } from '../../../../../src/main/machine/system/system-status.ts'

let isOnline: boolean
let looks: number
// The monitor is an emitter; nothing else of it is used.
const powerMonitor = new EventEmitter() as PowerMonitor
const net = {
  isOnline: () => {
    looks += 1
    return isOnline
  },
}

beforeEach(() => {
  vi.useFakeTimers()
  isOnline = true
  looks = 0
})
afterEach(() => {
  powerMonitor.removeAllListeners()
})

it('looks for the network once for all who listen, and not when nobody does', () => {
  const systemStatus = openSystemStatus({ net, powerMonitor })
  const heard: SystemEvent[][] = [[], []]
  const stops = heard.map((list) => systemStatus.onChange((event) => list.push(event)))
  looks = 0
  vi.advanceTimersByTime(30_000)
  expect(looks).toBe(10)
  isOnline = false
  vi.advanceTimersByTime(3000)
  powerMonitor.emit('suspend')
  powerMonitor.emit('resume')
  expect(heard).toEqual(Array(2).fill(['offline', 'suspend', 'resume']))
  for (const stop of stops) stop()
  expect(vi.getTimerCount()).toBe(0)
})
