/** @file The command palette: Enter runs what fits the letters that were typed, however late the swaps come. */
import { fireEvent, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
// Loaded here, so that no test waits for the first use of it.
import '../../../src/renderer/studio/views/palette/Palette.svelte'
import { FakeMain } from '../../fixtures/fake-bridge.ts'
import { embedded, swap } from '../../fixtures/fake-tasks.ts'
import { openStudio } from './open-studio.ts'

/** The library answers each search only when the test lets it. */
async function openPalette() {
  const main = new FakeMain({ tasks: [swap('only', Date.now(), { title: 'Night' })], profiles: [embedded] })
  const { view } = main.bridge.library
  const waiting: (() => void)[] = []
  vi.spyOn(main.bridge.library, 'view').mockImplementation(async (query) => {
    if (query.search !== '') await new Promise<void>((resolve) => waiting.push(resolve))
    return view(query)
  })
  const answer = (): void => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  const { studio } = await openStudio(main)
  await fireEvent.keyDown(window, { key: 'k', ctrlKey: true })
  const field = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Search actions, swaps and settings' })
  return { studio, field, answer, waiting }
}

it('opens no swap of an earlier search when Enter comes first', async () => {
  const { studio, field, answer } = await openPalette()
  await fireEvent.input(field, { target: { value: 'n' } })
  answer()
  expect(await screen.findByRole('option', { name: /Night/ })).toBeDefined()
  await fireEvent.keyDown(field, { key: 'ArrowDown' })
  await fireEvent.input(field, { target: { value: 'i' } })
  expect(screen.getAllByRole('option')[0]?.getAttribute('aria-selected')).toBe('true')
  await fireEvent.input(field, { target: { value: 'notif' } })
  await fireEvent.keyDown(field, { key: 'Enter' })
  answer()
  await vi.waitFor(() => expect(studio.routes.route).toEqual({ view: 'settings', section: 'notifications' }))
})

it('runs an action and remembers it, and lists what can’t be run here at the end', async () => {
  const { studio, field, answer } = await openPalette()
  await fireEvent.input(field, { target: { value: 'play' } })
  expect(screen.getAllByRole('option').at(-1)?.getAttribute('aria-disabled')).toBe('true')
  await fireEvent.input(field, { target: { value: 'new swap' } })
  await fireEvent.keyDown(field, { key: 'Enter' })
  answer()
  await vi.waitFor(() => expect(studio.routes.route.view).toBe('compose'))
  expect(studio.app.settings.recentActions).toEqual(['anywhere.new-swap'])
})

it('opens a swap when Enter comes before the list has it', async () => {
  const { studio, field, answer } = await openPalette()
  await fireEvent.input(field, { target: { value: 'night' } })
  await fireEvent.keyDown(field, { key: 'Enter' })
  await fireEvent.keyDown(field, { key: 'Enter' })
  answer()
  await vi.waitFor(() => expect(studio.routes.route).toEqual({ view: 'task', taskId: 'only' }))
})

it('shows no swaps of an earlier search that is answered last', async () => {
  const { field, waiting } = await openPalette()
  await fireEvent.input(field, { target: { value: 'night' } })
  await fireEvent.input(field, { target: { value: 'zzz' } })
  const [first, last] = waiting
  last?.()
  await new Promise(setImmediate)
  first?.()
  await new Promise(setImmediate)
  expect(screen.queryByRole('option', { name: /Night/ })).toBeNull()
})
