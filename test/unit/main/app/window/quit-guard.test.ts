import { EventEmitter } from 'node:events'
import { app } from 'electron'
import { expect, it, vi } from 'vitest'
import { settingsSchema, type Settings } from '@shared/settings/settings.ts'
import { embeddedProfileId, taskStates, type PauseReason, type TaskState } from '@shared/tasks/task.ts'
import type { AppContext } from '../../../../../src/main/app/app-context.ts'
import { QuitGuard, stoppedByQuit } from '../../../../../src/main/app/window/quit-guard.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { makeBoard } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

const { quit, showMessageBox, exit } = vi.hoisted(() => ({ quit: vi.fn(), showMessageBox: vi.fn(), exit: vi.fn() }))
vi.mock('../../../../../src/main/machine/system/end-process.ts', () => ({ endProcess: exit }))
vi.mock('electron', async () => {
  const { EventEmitter: Emitter } = await import('node:events')
  const app = Object.assign(new Emitter(), { quit })
  return { app, dialog: { showMessageBox }, powerMonitor: new Emitter(), powerSaveBlocker: {} }
})

/** A guard while swaps run on this computer. */
function guard(
  settings: Partial<Settings>,
  canRun: boolean,
  swaps = 1,
  set = vi.fn(),
  dispose: () => Promise<void> = () => Promise.resolve(),
): QuitGuard {
  const held = Array.from({ length: swaps }, () => ({ state: 'processing', profileId: embeddedProfileId, pause: null }))
  // What it reads.
  const context = { settings: { settings: settingsSchema.parse(settings), set }, tasks: { held: () => held }, dispose }
  return new QuitGuard({
    context: context as unknown as AppContext,
    background: { canRun, enter: () => undefined },
    window: () => null,
    first: () => undefined,
    last: () => Promise.resolve(),
    log: { info: () => undefined, warn: () => undefined },
  })
}

it.each<[string, Partial<Settings>, boolean, number, boolean]>([
  ['is asked about with a swap in progress', {}, false, 1, true],
  ['is not without one', {}, false, 0, false],
  ['is not after “Don’t ask again”', { askBeforeQuit: false }, false, 1, false],
  ['only closes the window where swaps go on in the background', { askBeforeQuit: false, runInBackground: true }, true, 1, true], // prettier-ignore
  ['ends Mien where there is no background', { askBeforeQuit: false, runInBackground: true }, false, 1, false],
])('a quit %s', (_what, settings, canRun, swaps, asks) => expect(guard(settings, canRun, swaps).mustAsk()).toBe(asks))

it('a quit that is decided is not asked about', () => {
  const decided = guard({}, false)
  decided.dontAsk()
  expect(decided.mustAsk()).toBe(false)
})

it('two quits end the services once, and Mien when they have ended', async () => {
  vi.spyOn(process, 'removeAllListeners').mockReturnValue(new EventEmitter() as NodeJS.Process)
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const dispose = vi.fn(() => promise)
  guard({}, false, 0, vi.fn(), dispose).install()
  const event = { preventDefault: vi.fn() }
  app.emit('will-quit', event)
  app.emit('will-quit', event)
  await new Promise(setImmediate)
  expect([dispose, exit, event.preventDefault].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 2])
  resolve(undefined)
  await new Promise(setImmediate)
  expect(exit.mock.calls).toEqual([[0]])
  app.removeAllListeners()
})

it.each([
  ['“Quit” is remembered', 0, { askBeforeQuit: false }, true],
  ['“Keep in background” is remembered', 1, { runInBackground: true }, false],
  ['“Keep working” is not', 2, null, false],
])('with “Don’t ask again”, %s', async (_what, response, remembered, quits) => {
  // The signals of the process that runs the tests stay as they are.
  const signals = new EventEmitter()
  vi.spyOn(process, 'removeAllListeners').mockReturnValue(signals as NodeJS.Process)
  quit.mockClear()
  showMessageBox.mockResolvedValue({ response, checkboxChecked: true })
  const set = vi.fn()
  guard({}, true, 1, set).install()
  const event = { preventDefault: vi.fn() }
  app.emit('before-quit', event)
  app.removeAllListeners()
  await new Promise(setImmediate)
  expect(event.preventDefault).toHaveBeenCalledOnce()
  expect(set.mock.calls).toEqual(remembered ? [[remembered]] : [])
  expect(quit).toHaveBeenCalledTimes(quits ? 1 : 0)
  signals.emit('SIGTERM')
  expect(quit).toHaveBeenCalledTimes(quits ? 2 : 1)
})

it.each<[string, TaskState, string, PauseReason | null, number]>([
  ['one that runs on this computer', 'processing', embeddedProfileId, null, 1],
  ['one that waits on this computer', 'waiting', embeddedProfileId, null, 1],
  ['one that is paused', 'processing', embeddedProfileId, 'user', 0],
  ['one that runs at an online service', 'processing', 'online', null, 0],
  ['one that is sent to an online service', 'uploading', 'online', null, 1],
  ['one that waits to be sent', 'queued', 'online', null, 1],
  ['one that is finished', 'kept', embeddedProfileId, null, 0],
  ['one that failed', 'failed', embeddedProfileId, null, 0],
])('a quit stops, or not, %s', (_what, state, profileId, pause, count) =>
  expect(stoppedByQuit([{ state, profileId, pause }])).toBe(count),
)

it('what a quit stops is counted without the library: all that counts is in memory', () => {
  const db = tempLibrary()
  const store = new TaskStore(db, () => undefined)
  for (const state of taskStates)
    for (const profileId of [embeddedProfileId, 'online'])
      store.put(makeTask({ id: `${state} ${profileId}`, state, profileId, updatedAt: Date.now() }))
  const board = makeBoard(store, Date.now())
  const all = store.all()
  const parsed = vi.spyOn(store, 'parse')
  expect(stoppedByQuit(board.held.all())).toBe(stoppedByQuit(all))
  expect(stoppedByQuit(all)).toBe(8)
  expect(parsed).not.toHaveBeenCalled()
})
