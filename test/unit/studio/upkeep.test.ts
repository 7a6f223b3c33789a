import { fireEvent, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { describe, expect, it, vi } from 'vitest'
import { banners } from '../../../src/renderer/studio/logic/words/banners.ts'
import { updateWords } from '../../../src/renderer/studio/logic/words/update-words.ts'
import type { Notice, UpdateOffer, UpdateState } from '@shared/ipc/app-state.ts'
import { FakeMain, type FakeStart } from '../../fixtures/fake-bridge.ts'
import { openStudio, startStudio } from './open-studio.ts'

const offer: UpdateOffer = {
  version: '1.1.0',
  date: '2026-11-19T12:00:00.000Z',
  notes: '- Faster',
  sizeBytes: 120_000_000,
}
const ready = (change: { onQuit?: boolean; waiting?: boolean } = {}): UpdateState => ({
  ...{ kind: 'ready', offer, onQuit: true, waiting: false },
  ...change,
})
const unsigned = { code: 'update-signature', details: {} } as const
const now = new Date(2026, 10, 20, 12).getTime()

it.each<[UpdateState, string, string]>([
  [{ kind: 'idle', checkedAt: null }, 'Mien 1.0.0', 'Not checked for updates yet'],
  [
    { kind: 'idle', checkedAt: new Date(2026, 10, 20, 9, 12).getTime() },
    'Mien 1.0.0 is up to date',
    'Checked today at 09:12',
  ],
  [{ kind: 'checking' }, 'Mien 1.0.0', 'Checking for updates'],
  [{ kind: 'available', offer }, 'Mien 1.1.0 is available', '120 MB, from 19 November 2026'],
  [{ kind: 'downloading', offer, share: 0.426 }, 'Downloading Mien 1.1.0', '42%'],
  [ready(), 'Mien 1.1.0 is ready', 'Installed when you quit'],
  [ready({ onQuit: false }), 'Mien 1.1.0 is ready', 'Installed when you restart. Needs an administrator.'],
  [ready({ waiting: true }), 'Mien 1.1.0 is ready', 'Mien restarts when the swaps on this computer are finished'],
  [{ kind: 'off', reason: 'policy' }, 'Mien 1.0.0', 'Updates are turned off for this computer'],
])('%j is said', (state, title, body) => expect(updateWords(state, '1.0.0', now)).toEqual({ title, body }))

it.each<[Notice, string, string | undefined]>([
  [{ id: 'u', kind: 'update-available', version: '1.1.0' }, 'Mien 1.1.0 is available.', 'Download'],
  [{ id: 'u', kind: 'update-ready', version: '1.1.0', onQuit: true }, 'Mien 1.1.0 is ready.', 'Restart now'],
  [{ id: 'u', kind: 'update-refused', error: unsigned }, 'The update isn’t signed by Mien’s developers.', 'Show'],
  [
    { id: 'c', kind: 'certificate-changed', profileId: 'p1', name: 'Studio' },
    'The certificate of Studio has changed.',
    'Enter new pairing code…',
  ],
  [
    { id: 'p', kind: 'policy', where: 'policy.json', problem: 'syntax', names: [] },
    'Your administrator’s settings for Mien have an error.',
    undefined,
  ],
])('%j is a banner', (notice, what, action) => {
  const [banner] = banners([notice], [], [])
  expect([banner?.what, banner?.action?.label]).toEqual([what, action])
})

describe('the settings', () => {
  async function open(start: FakeStart = {}): Promise<FakeMain> {
    const { main, studio } = await openStudio(start)
    studio.routes.go({ view: 'settings', section: 'updates' })
    await screen.findByRole('heading', { name: 'Updates' })
    return main
  }

  it('lead from a new version to a restart', async () => {
    const main = await open()
    const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
    const becomes = (state: UpdateState) => (main.updateChanged.emit(state), tick())
    await press('Check now')
    await becomes({ kind: 'available', offer })
    await press('Download')
    await becomes({ kind: 'downloading', offer, share: 0.5 })
    expect(screen.getByRole('progressbar', { name: 'Downloading Mien 1.1.0' }).getAttribute('aria-valuenow')).toBe('50')
    await becomes(ready())
    await press('Restart now')
    expect(main.calls.map(({ method }) => method).filter((method) => /check|download|restart/.test(method))).toEqual([
      ...['check', 'download', 'restart'],
    ])
  })

  it('show what is set for this computer, and do not let it be changed', async () => {
    const main = await open({ info: { locked: ['updateCheck', 'updateChannel', 'resultsFolder'] } })
    const look = screen.getByRole<HTMLInputElement>('switch', { name: 'Check for updates' })
    expect([look.checked, look.disabled]).toEqual([true, true])
    expect(screen.getAllByText('Set by your administrator')).toHaveLength(3)
    expect(screen.queryByRole('radio', { name: 'Beta' })).toBeNull()
    await fireEvent.click(screen.getByRole('switch', { name: 'Download updates automatically' }))
    expect(main.settings.updateDownload).toBe(true)
  })

  it('tell what an import left out', async () => {
    await open()
    await fireEvent.click(screen.getByRole('button', { name: 'Import…' }))
    expect(await screen.findByText('2 services. Skipped: theme.')).toBeDefined()
  })
})

it('keeps a change of the settings when the answer to an earlier one comes', async () => {
  const main = new FakeMain()
  const { set } = main.bridge.settings
  const held = Promise.withResolvers<undefined>()
  vi.spyOn(main.bridge.settings, 'set')
    .mockImplementationOnce(set)
    .mockImplementationOnce(async (change) => (await held.promise, set(change)))
  const { app } = (await startStudio(main)).studio
  const first = app.set({ batchTitles: '{face}' })
  const second = app.set({ compareMode: 'side' })
  await first
  expect(app.settings).toMatchObject({ batchTitles: '{face}', compareMode: 'side' })
  held.resolve(undefined)
  await second
  expect(app.settings).toEqual(main.settings)
})
