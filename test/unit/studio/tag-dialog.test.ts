import { fireEvent, screen } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import TagDialog from '../../../src/renderer/studio/views/library/dialogs/TagDialog.svelte'
import { renderIn, startStudio } from './open-studio.ts'

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
