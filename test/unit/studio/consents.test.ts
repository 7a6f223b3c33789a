import { expect, it } from 'vitest'
import { ConsentsState } from '../../../src/renderer/studio/state/library/consents.svelte.ts'

it('an export is confirmed once its file is saved, and not if the dialog was cancelled', async () => {
  for (const saved of [true, false]) {
    const shown: unknown[] = []
    let exported: Promise<unknown> | undefined
    // What an export doesn't use is left out.
    const state = new ConsentsState({
      bridge: { consents: { exportFile: () => Promise.resolve({ saved }) } },
      run: (action: () => Promise<unknown>) => (exported = action()),
      show: (toast: { title: string }) => shown.push(toast.title),
    } as unknown as ConstructorParameters<typeof ConsentsState>[0])
    state.exportFile([], 'json')
    await exported
    expect(shown).toEqual(saved ? ['Consent record exported'] : [])
  }
})
