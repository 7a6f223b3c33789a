import { fireEvent, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import type { ConsentView } from '@shared/tasks/consent.ts'
import ConsentDialog from '../../../src/renderer/studio/views/consent/ConsentDialog.svelte'
import { renderIn, startStudio } from './open-studio.ts'

const given: ConsentView = {
  ...{ face: 'f1', name: 'ada.jpg', origin: null, at: 1, withdrawnAt: null, pictureId: null, swaps: 1 },
  ...{ by: 'Ada', purpose: 'Film', note: '' },
  release: { name: 'release.pdf', sha256: 'a'.repeat(64), sizeBytes: 2000, state: 'ready' },
}

it('an export is confirmed once its file is saved, and not if the dialog was cancelled', async () => {
  for (const saved of [true, false]) {
    const { studio } = await startStudio()
    const exported = vi.spyOn(studio.bridge.consents, 'exportFile').mockResolvedValue({ saved })
    studio.consents.exportFile([], 'json')
    await exported.mock.results[0]?.value
    await Promise.resolve()
    expect(studio.toasts.list.map(({ title }) => title)).toEqual(saved ? ['Consent record exported'] : [])
  }
})

it('a withdrawal is undone with the swaps that it ended', async () => {
  const { main, studio } = await startStudio()
  studio.consents.withdraw([given])
  await vi.waitFor(() => expect(studio.toasts.list).toHaveLength(1))
  studio.undo()
  await vi.waitFor(() =>
    expect(main.calls.at(-1)).toEqual({ method: 'restoreConsent', argument: { face: 'f1', taskIds: ['queued'] } }),
  )
})

it('a withdrawn consent is given again', async () => {
  const { main, studio } = await startStudio()
  studio.consents.giveAgain({ ...given, withdrawnAt: 2 })
  await vi.waitFor(() => expect(studio.toasts.list).toHaveLength(1))
  expect(main.calls.at(-1)).toEqual({ method: 'giveAgain', argument: { face: 'f1' } })
})

it('a consent keeps its release on Cancel, and loses it by Remove and Save', async () => {
  const { main, studio } = await startStudio()
  const onclose = vi.fn()
  const passed = { faces: ['f1'], names: ['Ada'], known: [given], defaultName: 'me', onclose }
  renderIn(studio, ConsentDialog, passed)
  const press = (name: string) => fireEvent.click(screen.getByRole('button', { name, hidden: true }))
  const saved = (): unknown[] => main.calls.filter(({ method }) => method === 'saveConsent')
  await press('Remove')
  await press('Cancel')
  expect([onclose.mock.calls.length, saved()]).toEqual([1, []])
  await press('Save')
  await vi.waitFor(() => expect(onclose).toHaveBeenCalledTimes(2))
  expect(saved()).toMatchObject([{ argument: { faces: ['f1'], by: 'Ada', release: null } }])
})
