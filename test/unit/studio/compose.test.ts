import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import App from '../../../src/renderer/studio/App.svelte'
import { FakeMain } from '../../fixtures/fake-bridge.ts'
import { openStudio, startFilled } from './open-studio.ts'

/** As Chromium sends it; jsdom's events have no movement. */
const pointerMove = async (movementX: number): Promise<void> => {
  await fireEvent(window, Object.assign(new Event('pointermove'), { movementX, movementY: 0 }))
}

it('has the engine start once, when somebody takes the mouse, and not before', async () => {
  const { main } = await openStudio()
  await screen.findByRole('button', { name: 'Try it with sample media' })
  const asked = (): number => main.asked('expect').length
  expect(asked()).toBe(0)
  // The page appeared under a resting pointer.
  await pointerMove(0)
  expect(asked()).toBe(0)
  await pointerMove(2)
  await pointerMove(1)
  expect(asked()).toBe(1)
})

it('swaps when Swap is pressed before the consent is stored', async () => {
  const main = new FakeMain({ confirmed: false })
  const { confirmFace } = main.bridge.intake
  const { promise, resolve } = Promise.withResolvers<undefined>()
  vi.spyOn(main.bridge.intake, 'confirmFace').mockImplementation(
    async (consent) => (await promise, confirmFace(consent)),
  )
  const { studio } = await startFilled(main)
  render(App, { studio })
  await fireEvent.click(await screen.findByRole('checkbox', { name: /I may use/ }))
  await fireEvent.click(screen.getByRole('button', { name: 'Swap' }))
  expect(main.asked('submit')).toEqual([])
  resolve(undefined)
  await expect.poll(() => main.asked('submit')).toHaveLength(1)
})

it('leaves a consent ticked that was used, and asks about its withdrawal', async () => {
  const main = new FakeMain({ confirmed: false })
  const { confirmFace } = main.bridge.intake
  // Main keeps a consent that a swap has used.
  vi.spyOn(main.bridge.intake, 'confirmFace').mockImplementation(({ faceId }) =>
    confirmFace({ faceId, confirmed: true }),
  )
  const { studio } = await startFilled(main)
  const ask = vi.spyOn(studio.consents, 'ask')
  render(App, { studio })
  const box = await screen.findByRole<HTMLInputElement>('checkbox', { name: /I may use/ })
  await fireEvent.click(box)
  expect(box.checked).toBe(true)
  await fireEvent.click(box)
  await vi.waitFor(() => expect(ask).toHaveBeenCalledOnce())
  expect(box.checked).toBe(true)
})
