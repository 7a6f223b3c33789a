import { expect, it, vi } from 'vitest'
import { settingsSchema, type Settings } from '@shared/settings/settings.ts'
import { embeddedProfileId } from '@shared/tasks/task.ts'
import type { AppContext } from '../../../src/main/app/app-context.ts'
import { QuitGuard } from '../../../src/main/window/quit-guard.ts'

vi.mock('electron', () => ({ app: {}, dialog: {}, powerMonitor: {}, powerSaveBlocker: {} }))

/** A guard while swaps run on this computer. */
function guard(settings: Partial<Settings>, canRun: boolean, swaps = 1): QuitGuard {
  const held = Array.from({ length: swaps }, () => ({ state: 'processing', profileId: embeddedProfileId, pause: null }))
  // What it reads.
  const context = { settings: { settings: settingsSchema.parse(settings) }, tasks: { held: () => held } }
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
])('a quit %s', (_what, settings, canRun, swaps, asks) => {
  expect(guard(settings, canRun, swaps).mustAsk()).toBe(asks)
})

it('a quit that is decided is not asked about', () => {
  const decided = guard({}, false)
  decided.dontAsk()
  expect(decided.mustAsk()).toBe(false)
})
