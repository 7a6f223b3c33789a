import { fireEvent, screen } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import OutputOptions from '../../../src/renderer/studio/views/compose/options/OutputOptions.svelte'
import { renderIn, startStudio } from './open-studio.ts'

it('offers sizes by their lines, with width and height; what would be larger is off', async () => {
  const { studio } = await startStudio()
  await studio.intake.chooseVideo()
  renderIn(studio, OutputOptions, {})
  await fireEvent.click(screen.getByRole('button', { name: /^Size/ }))
  // jsdom takes a popover for hidden.
  const item = (name: string | RegExp) => screen.findByRole('menuitemradio', { name, hidden: true })
  expect((await item(/^480p/)).textContent).toContain('854 × 480')
  expect((await item('2160p')).getAttribute('aria-disabled')).toBe('true')
  await fireEvent.click(await item(/^480p/))
  expect(studio.composer.options.size).toBe('480p')
  expect(screen.getByText(/854 × 480/)).toBeTruthy()
  // Of a preset from an earlier version.
  studio.composer.options = { ...studio.composer.options, size: 720 }
  expect(await screen.findByText('Longest side 720 px')).toBeTruthy()
})
