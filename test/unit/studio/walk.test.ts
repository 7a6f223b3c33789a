/** @file Walks actions with the keyboard: afterwards the focus is on a control, and not lost. */
import { fireEvent, render, screen } from '@testing-library/svelte'
import { createRawSnippet, tick, type Component } from 'svelte'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import SearchField from '../../../src/renderer/studio/components/SearchField.svelte'
import MenuSelect from '../../../src/renderer/studio/components/MenuSelect.svelte'
import type { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import TaskActions from '../../../src/renderer/studio/views/task/TaskActions.svelte'
import FilterBar from '../../../src/renderer/studio/views/library/FilterBar.svelte'
import ListHead from '../../../src/renderer/studio/views/library/ListHead.svelte'
import PersonName from '../../../src/renderer/studio/views/compose/people/PersonName.svelte'
import type { FakeMain } from '../../fixtures/fake-bridge.ts'
import { swap } from '../../fixtures/fake-tasks.ts'
import { renderIn, startStudio } from './open-studio.ts'

let main: FakeMain
let studio: Studio
beforeEach(async () => {
  ;({ main, studio } = await startStudio())
})
/** Renders with props that can be changed afterwards. */
async function show<P extends object>(component: Component<P>, props: P): Promise<(props: P) => Promise<void>> {
  const { rerender } = renderIn(studio, component, props)
  await tick()
  return (passed) => rerender({ passed })
}
const focused = (): string => document.activeElement?.ariaLabel ?? document.activeElement?.textContent.trim() ?? ''
async function press(name: string): Promise<void> {
  const button = screen.getByRole('button', { name })
  button.focus()
  await fireEvent.click(button)
}

describe('the focus', () => {
  it('stays on Pause and Resume, and goes on after Cancel', async () => {
    const task = { ...swap('a', 1, { state: 'processing' }), number: 1 }
    const change = await show(TaskActions, { task })
    await press('Pause')
    await change({ task: { ...task, pause: 'user' } })
    expect(focused()).toBe('Resume')
    await press('Resume')
    await change({ task })
    expect(focused()).toBe('Pause')
    await press('Cancel')
    await change({ task: { ...task, state: 'cancelled' } })
    await vi.waitFor(() => expect(focused()).toBe('Swap again'))
  })

  it.each(['ArrowDown', 'Enter'])('goes from the search field to the results with %s', async (key) => {
    const onresults = vi.fn()
    render(SearchField, { label: 'Search', value: 'a', onresults })
    await fireEvent.keyDown(screen.getByLabelText('Search'), { key })
    expect(onresults).toHaveBeenCalledOnce()
  })
})

it('filters by the first day alone, and no more when it is emptied', async () => {
  await show(FilterBar, {})
  await press('Filter')
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'Added', hidden: true }))
  const from = await screen.findByLabelText('From')
  await fireEvent.change(from, { target: { value: '2026-11-01' } })
  expect(studio.library.filters).toEqual({ added: { from: '2026-11-01', until: '' } })
  await fireEvent.change(from, { target: { value: '' } })
  expect(studio.library.filters).toEqual({})
})

it.each([
  ['Cancel', 'uploading', null],
  ['Stop watching', 'waiting', 'job'],
] as const)('offers %s for a swap at an online service that is %s', async (name, state, objectId) => {
  await show(TaskActions, { task: { ...swap('a', 1, { state, profileId: 'cloud', objectId }), number: 1 } })
  expect(screen.getByRole('button', { name })).toBeDefined()
})

it('runs an item of an open menu by the key beside it', async () => {
  const run = vi.fn()
  const children = createRawSnippet(() => ({ render: () => '<span>Nobody</span>' }))
  const items = [{ label: 'Ada', keys: '1', run }]
  await show(MenuSelect as Component<object>, { label: 'Becomes', labelledBy: '', items, children })
  await fireEvent.click(screen.getByRole('button'))
  await fireEvent.keyDown(screen.getByRole('menu', { hidden: true }), { key: '1' })
  expect(run).toHaveBeenCalledOnce()
})

it('names the file that was saved, with its folder, and shows it', async () => {
  studio.swaps.saveAs(swap('a', 1, { state: 'kept' }))
  await vi.waitFor(() =>
    expect(studio.toasts.list).toMatchObject([
      { title: '“Copy.mp4” saved', body: 'Saved to Downloads', action: { label: 'Show in folder' } },
    ]),
  )
  for (const toast of studio.toasts.list) studio.toasts.run(toast)
  await vi.waitFor(() => expect(main.calls.at(-1)?.method).toBe('showSaved'))
})

it('Escape in a search clears it, and does nothing else before it is empty', async () => {
  const outside = vi.fn()
  window.addEventListener('keydown', outside)
  render(SearchField, { label: 'Search', value: 'a' })
  const field = screen.getByLabelText<HTMLInputElement>('Search')
  await fireEvent.keyDown(field, { key: 'Escape' })
  expect([field.value, outside.mock.calls.length]).toEqual(['', 0])
  await fireEvent.keyDown(field, { key: 'Escape' })
  expect(outside).toHaveBeenCalledOnce()
  window.removeEventListener('keydown', outside)
})

it.each([
  ['Enter', ['Bea']],
  ['Escape', []],
])('%s in the name of a person keeps %j', async (key, kept) => {
  const [onkeep, ondone] = [vi.fn(), vi.fn()]
  render(PersonName, { name: 'Ada', editing: true, onkeep, ondone })
  const field = screen.getByRole('textbox')
  await fireEvent.input(field, { target: { value: ' Bea ' } })
  await fireEvent.keyDown(field, { key })
  expect(onkeep.mock.calls).toEqual(kept.map((name) => [name]))
  expect(ondone).toHaveBeenCalledOnce()
})

it('a column sorts by what is wanted first, and by a second press the other way round', async () => {
  await show(ListHead as Component<object>, {})
  const sorts: string[] = []
  for (const name of ['Size', 'Size', 'Title', 'Title', 'Added', 'Added']) {
    await press(name)
    await vi.waitFor(() => expect(studio.app.settings.librarySort).not.toBe(sorts.at(-1)))
    sorts.push(studio.app.settings.librarySort)
  }
  expect(sorts).toEqual(['size-down', 'size', 'title', 'title-down', 'newest', 'oldest'])
})
