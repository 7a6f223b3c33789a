/** @file Tags and favourites of swaps in the library: the dialog for tags, filters, and undo. */
import { fireEvent, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import TagDialog from '../../../src/renderer/studio/views/library/dialogs/TagDialog.svelte'
import { swap } from '../../fixtures/fake-tasks.ts'
import { openStudio, renderIn, startStudio } from './open-studio.ts'

async function openLibrary() {
  const tasks = ['Crew portrait', 'Archive'].map((title, at) => swap(title, Date.now() - at, { title }))
  const { studio } = await openStudio({ tasks })
  const cell = (title: string) => screen.findByRole('gridcell', { name: new RegExp(title) })
  const press = async (title: string, key: string): Promise<void> => {
    const found = await cell(title)
    found.focus()
    await fireEvent.keyDown(found, { key })
  }
  /** Opens the dialog for a swap. @returns its field */
  const tag = async (title: string): Promise<HTMLInputElement> => {
    await press(title, 't')
    return screen.findByRole('combobox', { name: 'Add tags' })
  }
  return { studio, press, tag, tagsOf: (title: string) => studio.tasks.get(title)?.tags }
}

it('adds several tags at once, completes one that is typed, and is undone', async () => {
  const { studio, tag, tagsOf } = await openLibrary()
  let field = await tag('Crew portrait')
  await fireEvent.input(field, { target: { value: 'Client review, Crew' } })
  await fireEvent.submit(field)
  await vi.waitFor(() => expect(tagsOf('Crew portrait')).toEqual(['Client review', 'Crew']))
  field = await tag('Archive')
  await fireEvent.input(field, { target: { value: 'CLI' } })
  await screen.findByRole('option', { name: /Client review/ })
  await fireEvent.keyDown(field, { key: 'ArrowDown' })
  await fireEvent.submit(field)
  await fireEvent.submit(field)
  await vi.waitFor(() => expect(tagsOf('Archive')).toEqual(['Client review']))
  studio.undo()
  await vi.waitFor(() => expect(tagsOf('Archive')).toEqual([]))
})

it('refuses a tag that is too long, in a sentence, and keeps what was typed', async () => {
  const field = await (await openLibrary()).tag('Archive')
  await fireEvent.input(field, { target: { value: 'x'.repeat(65) } })
  await fireEvent.submit(field)
  expect((await screen.findByRole('alert')).textContent).toContain('A tag has at most 64 characters')
  expect(field.value).toHaveLength(65)
})

it('filters by favourites, says what hides all swaps, and clears it', async () => {
  const { studio, press } = await openLibrary()
  const shown = (count: number) => vi.waitFor(() => expect(screen.queryAllByRole('gridcell')).toHaveLength(count))
  await press('Archive', 's')
  await screen.findByText('1 swap added to favourites')
  studio.library.filters = { favourite: true }
  await shown(1)
  await fireEvent.click(screen.getByRole('button', { name: 'Remove filter Favourites' }))
  await shown(2)
  studio.library.filters = { tags: ['None'] }
  await screen.findByText('No swaps match these filters')
  await fireEvent.click(screen.getByRole('button', { name: 'Show all' }))
  await shown(2)
  studio.undo()
  await vi.waitFor(() => expect(studio.tasks.get('Archive')?.favourite).toBe(false))
})

it('Backspace takes back the last tag only where nothing is typed', async () => {
  const { studio } = await startStudio()
  renderIn(studio, TagDialog, { swaps: new Set([1]) })
  const field = screen.getByRole('combobox', { name: 'Add tags', hidden: true })
  const tag = (): HTMLElement | null => screen.queryByRole('button', { name: 'Remove Film', hidden: true })
  await fireEvent.input(field, { target: { value: 'Crew,Film，' } })
  await fireEvent.input(field, { target: { value: 'Dr' } })
  await fireEvent.keyDown(field, { key: 'Backspace' })
  expect(tag()).not.toBeNull()
  await fireEvent.input(field, { target: { value: '' } })
  await fireEvent.keyDown(field, { key: 'Backspace' })
  expect(tag()).toBeNull()
})
