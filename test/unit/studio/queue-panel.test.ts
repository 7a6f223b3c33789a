import { fireEvent, screen, within } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import type { Task } from '@shared/tasks/task.ts'
// Loaded here, so that no test waits for the first use of it.
import '../../../src/renderer/studio/views/queue/QueuePanel.svelte'
import '../../../src/renderer/studio/views/queue/SleepDialog.svelte'
import { cloud, embedded, progress, swap } from '../../fixtures/fake-tasks.ts'
import { openStudio } from './open-studio.ts'

const now = Date.now()
const unfinished: Partial<Task> = { result: null, coverId: null, peopleIds: [], endedAt: null, startedAt: null }
const here = (title: string, change: Partial<Task>): Task =>
  swap(title, now, { ...unfinished, title, profileId: embeddedProfileId, ...change })

const tasks = (): Task[] => [
  here('Running', { state: 'processing', progress: progress({ share: 0.5 }), position: 1 }),
  here('Sent', { state: 'waiting', position: 2 }),
  here('Last', { state: 'queued', position: 4, objectId: null }),
  here('Third', { state: 'queued', position: 3, objectId: null }),
  here('Far', { state: 'waiting', profileId: cloud.id }),
  here('Broken', { state: 'failed', endedAt: now, error: { code: 'disk-full', details: {} } }),
]

async function openPanel() {
  const { main } = await openStudio({ tasks: tasks(), profiles: [embedded, cloud] })
  await fireEvent.keyDown(window, { key: 'j', ctrlKey: true })
  return { main, panel: within(await screen.findByRole('dialog', { name: 'Queue' })) }
}
const titlesIn = (list: HTMLElement): (string | null)[] =>
  within(list)
    .getAllByRole('listitem')
    .map((row) => row.querySelector('strong')?.textContent ?? null)

it('shows what runs, what waits in order, other services, and what failed', async () => {
  const { panel } = await openPanel()
  expect(titlesIn(panel.getByRole('list', { name: 'Now, on this computer' }))).toEqual(['Running'])
  expect(titlesIn(panel.getByRole('list', { name: 'Waiting, in order' }))).toEqual(['Sent', 'Third', 'Last'])
  expect(titlesIn(panel.getByRole('list', { name: 'On Studio Cloud' }))).toEqual(['Far'])
  expect(titlesIn(await panel.findByRole('list', { name: 'Failed' }))).toEqual(['Broken'])
})

it('moves a swap by keys, and says where it is', async () => {
  const { main, panel } = await openPanel()
  const row = panel.getByRole('listitem', { name: 'Last, 3 of 3' })
  row.focus()
  await fireEvent.keyDown(row, { key: 'ArrowUp', altKey: true })
  expect(main.asked('move')).toEqual([{ taskId: 'Last', to: { before: 'Third' } }])
  expect(await panel.findByText('Last, now 2 of 3')).toBeDefined()
  await fireEvent.keyDown(row, { key: 'End', altKey: true })
  expect(main.asked('move').at(-1)).toEqual({ taskId: 'Last', to: 'last' })
})

it('pauses all, and all but the one in progress', async () => {
  const { main, panel } = await openPanel()
  await fireEvent.click(panel.getByRole('button', { name: 'More ways to pause' }))
  await fireEvent.click(await screen.findByRole('menuitem', { name: /Pause after this one/, hidden: true }))
  const paused = (): string[] => [...main.library.tasks.values()].filter(({ pause }) => pause).map(({ title }) => title)
  await vi.waitFor(() => expect(paused()).toEqual(['Sent', 'Last', 'Third']))
  // The last first, so that none of them starts between two requests.
  expect(main.asked('pause')[0]).toEqual({ taskIds: ['Last', 'Third', 'Sent'] })
  await fireEvent.click(panel.getByRole('button', { name: 'Pause' }))
  await fireEvent.click(await panel.findByRole('button', { name: 'Resume' }))
  await vi.waitFor(() => expect(paused()).toEqual([]))
})

it('retries all that failed', async () => {
  const { main, panel } = await openPanel()
  await fireEvent.click(await panel.findByRole('button', { name: 'Retry all' }))
  await vi.waitFor(() => expect(main.library.tasks.get('Broken')?.state).toBe('queued'))
})

it('offers sleep only where it can be had, and counts down to it', async () => {
  const { main, panel } = await openPanel()
  const choose = () => fireEvent.click(panel.getByRole('button', { name: /^When all are finished/ }))
  await choose()
  await fireEvent.click(await screen.findByRole('menuitemradio', { name: 'Put this computer to sleep', hidden: true }))
  await vi.waitFor(() => expect(main.whenDone.action).toBe('sleep'))
  main.whenDone = { ...main.whenDone, sleepsAt: Date.now() + 30_000 }
  main.whenDoneChanged.emit(main.whenDone)
  expect(await screen.findByText(/This computer goes to sleep in (30|29) s/)).toBeDefined()
  await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(main.whenDone.sleepsAt).toBeNull()
  main.whenDoneChanged.emit({ action: 'notify', canSleep: false, sleepsAt: null })
  await choose()
  expect(screen.queryByRole('menuitemradio', { name: 'Put this computer to sleep', hidden: true })).toBeNull()
})

it('loses no key after a menu: Escape closes the menu, and then the queue', async () => {
  const { panel } = await openPanel()
  const button = panel.getByRole('button', { name: /^When all are finished/ })
  button.focus()
  await fireEvent.click(button)
  const item = await screen.findByRole('menuitemradio', { name: 'Notify me', hidden: true })
  item.focus()
  await fireEvent.keyDown(item, { key: 'Escape' })
  expect(document.activeElement).toBe(button)
  await fireEvent.keyDown(button, { key: 'Escape' })
  expect(screen.queryByRole('dialog', { name: 'Queue' })).toBeNull()
})

it('closes with Escape when the row that had the focus is gone', async () => {
  await openPanel()
  await fireEvent.keyDown(document.body, { key: 'Escape' })
  expect(screen.queryByRole('dialog', { name: 'Queue' })).toBeNull()
})

it('offers a place in the menu only where a swap isn’t yet', async () => {
  const { panel } = await openPanel()
  const moves = async (title: string): Promise<string[]> => {
    const row = within(panel.getByRole('listitem', { name: new RegExp(`^${title}, `) }))
    await fireEvent.click(row.getByRole('button', { name: `More for ${title}` }))
    const items = await screen.findAllByRole('menuitem', { hidden: true })
    await fireEvent.keyDown(items[0] ?? document.body, { key: 'Escape' })
    return items.map(({ textContent }) => textContent.trim()).filter((text) => text.startsWith('Move '))
  }
  expect(await moves('Sent')).toEqual(['Move down', 'Move to bottom'])
  expect(await moves('Third')).toEqual(['Move to top', 'Move to bottom'])
  expect(await moves('Last')).toEqual(['Move to top', 'Move up'])
})
