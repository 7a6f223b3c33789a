import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import Keyboard from '../../../src/renderer/studio/views/settings/Keyboard.svelte'
import WithStudio from '../../fixtures/WithStudio.svelte'
import { startStudio } from './open-studio.ts'

it('does not take the key that is still held from before for the new one', async () => {
  const { studio } = await startStudio()
  render(WithStudio, { studio, component: Keyboard, passed: {} })
  const [button = document.body] = screen.getAllByRole('button', { name: /^Change / })
  // By Enter, which repeats while it is held.
  await fireEvent.click(button)
  await fireEvent.keyDown(button, { key: 'Enter', code: 'Enter', repeat: true })
  expect(screen.getByRole('alert').textContent).toBe('Press the new keys')
  await fireEvent.keyDown(button, { key: 'Enter', code: 'Enter' })
  expect(screen.getByRole('alert').textContent).toMatch(/^Enter always means/)
})
