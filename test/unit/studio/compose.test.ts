import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import App from '../../../src/renderer/studio/App.svelte'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { FakeMain } from '../../fixtures/fake-bridge.ts'

vi.stubGlobal('matchMedia', () => ({ matches: false }))
HTMLElement.prototype.scrollTo = () => undefined
HTMLElement.prototype.scrollIntoView = () => undefined

it('has the engine start once, when somebody takes the mouse, and not before', async () => {
  const main = new FakeMain()
  const studio = new Studio(makeBridge(main.bridge))
  await studio.start()
  render(App, { studio })
  await screen.findByRole('button', { name: 'Try it with sample media' })
  const asked = (): number => main.calls.filter(({ method }) => method === 'expect').length
  expect(asked()).toBe(0)
  await fireEvent.pointerMove(window)
  await fireEvent.pointerMove(window)
  expect(asked()).toBe(1)
})
