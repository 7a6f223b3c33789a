/** @file The selection bar, its dialogs, files that the system opens, and recent files. */
import { fireEvent, screen, within } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
// Loaded here, so that no test waits for the first use of it.
import '../../../src/renderer/studio/views/library/dialogs/AskDialog.svelte'
import '../../../src/renderer/studio/views/library/dialogs/FilesReport.svelte'
import type { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { FakeMain } from '../../fixtures/fake-bridge.ts'
import { swap } from '../../fixtures/fake-tasks.ts'
import { openStudio } from './open-studio.ts'

async function open(
  count = 3,
  prepare: (main: FakeMain) => void = () => undefined,
): Promise<{ main: FakeMain; studio: Studio }> {
  const tasks = Array.from({ length: count }, (_, at) => swap(`s${String(at)}`, Date.now() - at * 60_000))
  const main = new FakeMain({ tasks })
  prepare(main)
  const { studio } = await openStudio(main)
  await studio.library.chooseAll()
  return { main, studio }
}
const bar = () => screen.findByRole('region', { name: 'Selected swaps' })
const press = async (name: string | RegExp) => fireEvent.click(await within(await bar()).findByRole('button', { name }))

it('saves copies of a large selection with one toast', async () => {
  const { main } = await open(10_000)
  await screen.findByText('10,000 selected')
  main.outcome = { ...main.outcome, done: 9990, unfinished: 10 }
  await press('Save copies…')
  await screen.findByText('9,990 copies saved')
  await screen.findByText('10 swaps aren’t finished, so they have no file.')
  expect(main.asked('saveCopies').at(-1)).toHaveLength(10_000)
})

it('shows progress, and can be stopped', async () => {
  let end: () => void = () => undefined
  const { main, studio } = await open(3, ({ bridge, outcome }) => {
    const answer = { ok: true as const, value: { ...outcome, left: 2 } }
    vi.spyOn(bridge.results, 'saveCopies').mockReturnValue(new Promise((resolve) => (end = () => resolve(answer))))
  })
  const run = studio.files.run('save', Uint32Array.of(1, 2, 3))
  main.fileProgress.emit({ done: 1, count: 3, share: 0.4 })
  await screen.findByText('Saving 2 of 3')
  await press('Cancel')
  expect(main.calls.some(({ method }) => method === 'stopFiles')).toBe(true)
  end()
  await run
  const report = await screen.findByRole('alertdialog', { name: '1 of 3 copies saved' })
  expect(report.textContent).toContain('2 files were left as they are.')
})

it('reports what could not be saved, with the reason of each', async () => {
  const { main, studio } = await open()
  const failed = [{ title: 'Interview', error: { code: 'file-missing' as const, details: { name: 'a.mp4' } } }]
  main.outcome = { ...main.outcome, done: 2, failed, failedCount: 1 }
  await press('Save copies…')
  const report = await screen.findByRole('alertdialog', { name: '2 of 3 copies saved' })
  expect(within(report).getByText('Interview')).toBeDefined()
  expect(report.textContent).toContain('“a.mp4” can’t be found')
  await fireEvent.click(within(report).getByRole('button', { name: 'Close' }))
  expect(studio.files.report).toBeNull()
  expect(screen.getByText('3 selected')).toBeDefined()
})

it('asks before files go to the trash, and offers no undo after it', async () => {
  const { main, studio } = await open()
  studio.ask('trash', studio.library.chosen)
  const question = await screen.findByRole('alertdialog', { name: 'Remove 3 swaps and move their files to the trash?' })
  main.outcome = { ...main.outcome, done: 3 }
  await fireEvent.click(within(question).getByRole('button', { name: 'Move to trash' }))
  await screen.findByText('3 files moved to the trash')
  expect(main.asked('trash').at(-1)).toEqual([1, 2, 3])
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
  expect(studio.history.canUndo).toBe(false)
})

it('repeats swaps with another face only after the consent, with one undo', async () => {
  const { main, studio } = await open()
  await press('Another face…')
  const dialog = await screen.findByRole('dialog', { name: 'Repeat 3 swaps with another face' })
  const swapButton = within(dialog).getByRole('button', { name: /^Swap 3/ })
  await fireEvent.click(swapButton)
  expect(main.asked('submitAgain').at(-1)).toBeUndefined()
  await fireEvent.click(within(dialog).getByRole('button', { name: 'Choose picture…' }))
  await fireEvent.click(await within(dialog).findByRole('checkbox', { name: 'I may use this face' }))
  await vi.waitFor(() => expect(swapButton.getAttribute('aria-disabled')).toBe('false'))
  await fireEvent.click(swapButton)
  await screen.findByText('3 swaps added')
  expect(main.asked('submitAgain').at(-1)).toEqual({ numbers: [1, 2, 3], faceId: 'mona-lisa.jpg' })
  expect(main.library.tasks.size).toBe(6)
  await studio.history.undo()
  expect(main.library.tasks.size).toBe(3)
})

it('acts on the open swap only, although others are still selected', async () => {
  const { main, studio } = await open()
  studio.open('s0')
  await screen.findByText('History')
  await fireEvent.keyDown(document.body, { key: 'c', code: 'KeyC', ctrlKey: true })
  await screen.findByText('1 file copied')
  expect(main.asked('copyFiles').at(-1)).toEqual([1])
})

it('takes files that the system opens into the composer, and lists what is none', async () => {
  const { main, studio } = await open()
  main.toOpen = {
    files: [{ token: 'clip', name: 'clip.mp4', mediaSlot: 'video' }],
    unusable: ['notes.txt'],
    max: null,
  }
  main.opened.emit()
  await screen.findByText('1 file can’t be used')
  expect(studio.routes.route.view).toBe('compose')
  await vi.waitFor(() => expect(studio.composer.video.state).toBe('filled'))
})

it('offers recent files in an empty place, until they are cleared', async () => {
  const { main, studio } = await open()
  main.recent = { faces: [{ token: 'lisa', name: 'lisa.jpg', pictureId: null }], videos: [] }
  studio.routes.go({ view: 'compose' })
  const face = await screen.findByRole('region', { name: 'Face' })
  await fireEvent.click(await within(face).findByRole('button', { name: 'Recent' }))
  expect(within(screen.getByRole('region', { name: 'Video' })).queryByRole('button', { name: 'Recent' })).toBeNull()
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'lisa.jpg', hidden: true }))
  await vi.waitFor(() => expect(studio.composer.face.state).toBe('filled'))
  studio.composer.clear('face')
  await fireEvent.click(await within(face).findByRole('button', { name: 'Recent' }))
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'Clear recent', hidden: true }))
  await vi.waitFor(() => expect(within(face).queryByRole('button', { name: 'Recent' })).toBeNull())
})

it('takes a new name back, and that of its file', async () => {
  const { main, studio } = await open(1)
  const renamed = (title: string) =>
    vi.waitFor(() => expect(main.asked('rename').at(-1)).toMatchObject({ title, withFile: true }))
  const task = await vi.waitUntil(() => studio.tasks.get('s0'))
  studio.swaps.rename(task, 'Opening', true)
  await renamed('Opening')
  studio.undo()
  await renamed(task.title)
})
