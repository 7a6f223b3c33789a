import { expect, it, vi } from 'vitest'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { defaultOptions } from '@shared/options/swap-options.ts'
import { FakeMain } from '../../fixtures/fake-bridge.ts'
import { yes } from '../../fixtures/fake-answers.ts'

const version = (number: number) => ({
  ...{ number, at: 1, change: null, sizeBytes: 1, swappedFrames: null, quality: null, weak: [], credentials: null },
})
const task = { id: 't', versions: { list: [version(1), version(2)], current: 1, placing: null } }

/** Versions that main was asked to put in place. */
const placedBy = ({ calls }: FakeMain): number[] =>
  calls.filter(({ method }) => method === 'goBack').map(({ argument }) => (argument as { number: number }).number)

it('undo and redo go between the versions of a part that was swapped again', async () => {
  const main = new FakeMain()
  const studio = new Studio(makeBridge(main.bridge))
  main.making = () => yes({ number: 3 })
  await studio.parts.make(task, { part: { fromMs: 0, toMs: 1000 }, faces: [0], options: defaultOptions })
  studio.undo()
  await vi.waitFor(() => expect(placedBy(main)).toEqual([1]))
  studio.redo()
  await vi.waitFor(() => expect(placedBy(main)).toEqual([1, 3]))
})

it('going back to a version is undone and done again', async () => {
  const main = new FakeMain()
  const studio = new Studio(makeBridge(main.bridge))
  studio.parts.goBack(task, 2)
  studio.undo()
  studio.redo()
  await vi.waitFor(() => expect(placedBy(main)).toEqual([2, 1, 2]))
})
