/** @file What the keyboard does right after a dialog or a menu closes: no test here sends their late events. */
import { fireEvent, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { beforeEach, expect, it, vi } from 'vitest'
// Loaded here, so that no test waits for the first use of it.
import '../../../src/renderer/studio/views/library/dialogs/RenameDialog.svelte'
import type { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { embedded, swap } from '../../fixtures/fake-tasks.ts'
import { openStudio } from './open-studio.ts'

let studio: Studio
let cell: HTMLElement
beforeEach(async () => {
  const tasks = [swap('only', Date.now(), { title: 'Archive' })]
  ;({ studio } = await openStudio({ tasks, profiles: [embedded] }))
  cell = await screen.findByRole('gridcell', { name: /Archive/ })
  cell.focus()
})

async function openRename(): Promise<HTMLElement> {
  await fireEvent.keyDown(cell, { key: 'F2' })
  const dialog = await screen.findByRole('dialog', { name: 'Rename swap' })
  // The real one makes the page inert.
  cell.blur()
  expect(studio.actions.possible).toEqual([])
  return dialog
}

it('runs actions again as soon as Escape closes a dialog', async () => {
  const dialog = await openRename()
  const event = new Event('cancel', { cancelable: true })
  dialog.dispatchEvent(event)
  await tick()
  expect(event.defaultPrevented).toBe(true)
  expect(studio.actions.possible).toContain('swap.rename')
})

it('gives the focus back when a button closes a dialog', async () => {
  await openRename()
  await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(document.activeElement).toBe(cell)
})

it('gives the focus back as soon as Escape closes a menu', async () => {
  await fireEvent.contextMenu(cell)
  await vi.waitFor(() => expect(document.activeElement?.closest('[role=menu]')).not.toBeNull())
  void fireEvent.keyDown(document.activeElement ?? cell, { key: 'Escape' })
  expect(document.activeElement).toBe(cell)
})
