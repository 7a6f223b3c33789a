import { fireEvent, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import { defaultOptions } from '@shared/options/swap-options.ts'
import PartControls from '../../../src/renderer/studio/views/task/result/PartControls.svelte'
import Versions from '../../../src/renderer/studio/views/task/Versions.svelte'
import type { FakeMain } from '../../fixtures/fake-bridge.ts'
import { yes } from '../../fixtures/fake-answers.ts'
import { swap, version } from '../../fixtures/fake-tasks.ts'
import { renderIn, startStudio } from './open-studio.ts'

const task = { id: 't', versions: { list: [version(1), version(2)], current: 1, placing: null } }

/** Versions that main was asked to put in place. */
const placedBy = (main: FakeMain): number[] =>
  main.asked('goBack').map((version) => (version as { number: number }).number)

it('undo and redo go between the versions of a part that was swapped again', async () => {
  const { main, studio } = await startStudio()
  main.making = () => yes({ number: 3 })
  await studio.parts.make(task, { part: { fromMs: 0, toMs: 1000 }, faces: [0], options: defaultOptions })
  studio.undo()
  await vi.waitFor(() => expect(placedBy(main)).toEqual([1]))
  studio.redo()
  await vi.waitFor(() => expect(placedBy(main)).toEqual([1, 3]))
})

it('going back to a version is undone and done again', async () => {
  const { main, studio } = await startStudio()
  studio.parts.goBack(task, 2)
  studio.undo()
  studio.redo()
  await vi.waitFor(() => expect(placedBy(main)).toEqual([2, 1, 2]))
})

it('a part is swapped again after a change, or if another version is in place', async () => {
  const { main, studio } = await startStudio()
  const kept = swap('a', 1, { state: 'kept' })
  const props = (change: object) => ({ task: { ...kept, ...change }, part: { fromMs: 0, toMs: 1000 }, weakFace: null })
  const { rerender } = renderIn(studio, PartControls, props({}))
  const isOff = (): string | null =>
    screen.getByRole('button', { name: /^Swap again here/ }).getAttribute('aria-disabled')
  await fireEvent.click(screen.getByRole('button', { name: /^Swap again here/ }))
  expect([isOff(), main.calls]).toEqual(['true', []])
  const second = { versions: { ...task.versions, current: 2 } }
  await rerender({ passed: props(second) })
  expect(isOff()).toBe('false')
  await rerender({ passed: props({}) })
  await fireEvent.click(screen.getByRole('checkbox'))
  expect(isOff()).toBe('false')
  await fireEvent.click(screen.getByRole('button', { name: /^Swap again here/ }))
  await vi.waitFor(() => expect(main.calls.at(-1)?.method).toBe('make'))
  await rerender({ passed: props(second) })
  await vi.waitFor(() => expect(isOff()).toBe('true'))
  await rerender({ passed: props({ versions: task.versions }) })
  expect(isOff()).toBe('false')
  await rerender({ passed: props(second) })
  await fireEvent.click(screen.getByRole('checkbox'))
  expect(isOff()).toBe('false')
})

it('goes to no other version while a part is swapped again', async () => {
  const { main, studio } = await startStudio()
  const end = Promise.withResolvers<Awaited<ReturnType<typeof main.making>>>()
  main.making = () => end.promise
  const made = studio.parts.make(task, { part: { fromMs: 0, toMs: 1000 }, faces: [0], options: defaultOptions })
  renderIn(studio, Versions, { task, ...task } as never) // all that it reads
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Go forward to Version 2' })
  expect(button.disabled).toBe(true)
  end.resolve(await yes({ number: 3 }))
  await made
  await vi.waitFor(() => expect(button.disabled).toBe(false))
})
