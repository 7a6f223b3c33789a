import { fireEvent, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import Keyboard from '../../../src/renderer/studio/views/settings/Keyboard.svelte'
import { renderIn, startStudio } from './open-studio.ts'

it('does not take the key that is still held from before for the new one', async () => {
  const { studio } = await startStudio()
  renderIn(studio, Keyboard, {})
  const [button = document.body] = screen.getAllByRole('button', { name: /^Change / })
  // By Enter, which repeats while it is held.
  await fireEvent.click(button)
  await fireEvent.keyDown(button, { key: 'Enter', code: 'Enter', repeat: true })
  expect(screen.getByRole('alert').textContent).toBe('Press the new keys')
  await fireEvent.keyDown(button, { key: 'Enter', code: 'Enter' })
  expect(screen.getByRole('alert').textContent).toMatch(/^Enter always means/)
})

it('takes keys from the action that has them once the user agrees', async () => {
  const { studio } = await startStudio()
  renderIn(studio, Keyboard, {})
  const press = async (): Promise<void> => {
    const button = screen.getByRole('button', { name: 'Change “Queue”' })
    await fireEvent.click(button)
    await fireEvent.keyDown(button, { key: 'n', code: 'KeyN', ctrlKey: true })
  }
  await press()
  await fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }))
  expect(studio.app.settings.shortcuts).toEqual({})
  await press()
  await fireEvent.click(await screen.findByRole('button', { name: 'Replace' }))
  const changed = { 'anywhere.queue': ['mod+N'], 'anywhere.new-swap': [] }
  await vi.waitFor(() => expect(studio.app.settings.shortcuts).toEqual(changed))
})
