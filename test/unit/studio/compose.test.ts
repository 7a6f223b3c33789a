import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import App from '../../../src/renderer/studio/App.svelte'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { FakeMain } from '../../fixtures/fake-bridge.ts'

/** As Chromium sends it; jsdom's events have no movement. */
const pointerMove = async (movementX: number): Promise<void> => {
  await fireEvent(window, Object.assign(new Event('pointermove'), { movementX, movementY: 0 }))
}

it('has the engine start once, when somebody takes the mouse, and not before', async () => {
  const main = new FakeMain()
  const studio = new Studio(makeBridge(main.bridge))
  await studio.start()
  render(App, { studio })
  await screen.findByRole('button', { name: 'Try it with sample media' })
  const asked = (): number => main.calls.filter(({ method }) => method === 'expect').length
  expect(asked()).toBe(0)
  // The page appeared under a resting pointer.
  await pointerMove(0)
  expect(asked()).toBe(0)
  await pointerMove(2)
  await pointerMove(1)
  expect(asked()).toBe(1)
})
