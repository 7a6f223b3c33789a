import { fireEvent, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import Note from '../../../src/renderer/studio/views/task/Note.svelte'
import { no } from '../../fixtures/fake-answers.ts'
import { FakeMain } from '../../fixtures/fake-bridge.ts'
import { renderIn, startStudio } from './open-studio.ts'

it('is saved when the field is left again, if it could not be saved before', async () => {
  const main = new FakeMain()
  const setNote = vi.spyOn(main.bridge.library, 'setNote').mockImplementationOnce(() => no('disk-full'))
  const { studio } = await startStudio(main)
  renderIn(studio, Note, { number: 1 })
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' })
  await vi.waitFor(() => expect(field.disabled).toBe(false))
  await fireEvent.input(field, { target: { value: 'Second take' } })
  await fireEvent.blur(field)
  const shown = () => studio.toasts.list.map(({ icon }) => icon)
  await vi.waitFor(() => expect(shown()).toContain('problem'))
  await new Promise(setImmediate)
  expect(shown()).not.toContain('done')
  await fireEvent.blur(field)
  // Only now it is said that it is saved.
  await vi.waitFor(() => expect(shown()).toContain('done'))
  expect(setNote.mock.calls).toEqual([[{ number: 1, note: 'Second take' }], [{ number: 1, note: 'Second take' }]])
})

it('goes back by each undo to what it was when the field was entered', async () => {
  const { main, studio } = await startStudio()
  renderIn(studio, Note, { number: 1 })
  const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Note' })
  await vi.waitFor(() => expect(field.disabled).toBe(false))
  const saved = (): unknown[] => main.asked('setNote')
  for (const [index, value] of ['First', 'Second'].entries()) {
    await fireEvent.input(field, { target: { value } })
    await fireEvent.blur(field)
    await vi.waitFor(() => expect(saved()).toHaveLength(index + 1))
    await new Promise(setImmediate)
  }
  studio.undo()
  await vi.waitFor(() => expect(saved().at(-1)).toEqual({ number: 1, note: 'First' }))
})
