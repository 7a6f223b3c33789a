/** @file After each action on a filled composer and on a finished swap, the focus is on a control, and not lost. */
import { cleanup, fireEvent, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import type { FakeMain, FakeStart } from '../../fixtures/fake-bridge.ts'
import { crew, crewClip } from '../../fixtures/fake-people.ts'
import { clip, faceFile, monaLisa, swap, version } from '../../fixtures/fake-tasks.ts'
import { openStudio } from './open-studio.ts'

let main: FakeMain
let studio: Studio
async function open(start: FakeStart = {}): Promise<void> {
  ;({ main, studio } = await openStudio({ confirmed: true, tasks: [swap('old', 1, { state: 'kept' })], ...start }))
  await tick()
}
beforeEach(() => cleanup())

const two = crew({ people: crew().people.slice(0, 2) })
/** Fills the composer. */
async function fill(faces: number, videos: number, start: FakeStart = {}): Promise<void> {
  await open(start)
  studio.routes.go({ view: 'compose' })
  await tick()
  const face = (name: string) => {
    const read = () => Promise.resolve(faceFile({ ...monaLisa(1), id: name, name }))
    return { kind: 'face' as const, name, read }
  }
  const video = (name: string) => {
    const read = () => Promise.resolve({ ...(start.video ?? clip()), id: name, name })
    return { kind: 'video' as const, name, read }
  }
  await studio.intake.take([
    ...['ada.jpg', 'bea.jpg', 'cleo.jpg'].slice(0, faces).map(face),
    ...['dawn.mp4', 'east.mp4'].slice(0, videos).map(video),
  ])
  await tick()
}
async function fillWithPart(): Promise<void> {
  await fill(1, 1)
  await studio.composer.trim?.mark('to')
  await tick()
}
async function openSwap(change: Parameters<typeof swap>[2] = {}): Promise<void> {
  await open({ tasks: [swap('kept', 1, { state: 'kept', ...change }), swap('old', 2, { state: 'kept' })] })
  studio.routes.go({ view: 'task', taskId: 'kept' })
  await screen.findByRole('button', { name: 'Save as…' })
}

const button = (name: string | RegExp): HTMLElement => {
  const [first] = screen.getAllByRole('button', { name })
  if (!first) throw new Error('there is no button')
  return first
}
const press = (name: string | RegExp) => async (): Promise<void> => {
  const pressed = button(name)
  pressed.focus()
  await fireEvent.click(pressed)
}
const deleteKey = (name: string | RegExp) => async (): Promise<void> => {
  const place = button(name)
  place.focus()
  await fireEvent.keyDown(place, { key: 'Delete' })
}
const inMenu = (menu: string | RegExp, item: string | RegExp) => async (): Promise<void> => {
  await press(menu)()
  const [found] = screen.getAllByRole('menuitemradio', { name: item, hidden: true })
  found?.focus()
  await fireEvent.click(found ?? document.body)
}
const undone = (act: () => Promise<void>) => async (): Promise<void> => {
  await act()
  await tick()
  studio.undo()
}

/** `to`: how the focused element's name begins, after its tag. */
type Case = [name: string, to: string, before: () => Promise<void>, act: () => Promise<void>]
const people = { people: two, video: crewClip() }
const fillCast = () => fill(2, 1, people)
const versions = (current: number) => ({ current, placing: null, list: [version(1), version(2)] })
async function goBack(): Promise<void> {
  await screen.findByRole('button', { name: 'Go back to Version 1' })
  await press('Go back to Version 1')()
  main.library.change(swap('kept', 1, { state: 'kept', versions: versions(1) }))
}
it.each<Case>([
  ['removing the face', 'BUTTON Choose face…', () => fill(1, 1), press('Remove picture')],
  ['removing the video', 'BUTTON Choose video…', () => fill(1, 1), press('Remove video')],
  ['taking the removal of the video back', 'BUTTON Swap', () => fill(1, 1), undone(press('Remove video'))],
  ['replacing the face', 'BUTTON Swap', () => fill(1, 1), press('Replace…')],
  ['using the whole video', 'SPAN Start of the part', fillWithPart, press('Use the whole video')],
  ['swapping', 'MAIN', () => fill(1, 1), press(/^Swap(?:Ctrl.*)?$/)],
  ['adding a face', 'BUTTON Add a face…', fillCast, press('Add a face…')],
  ['removing a face in the tray', 'BUTTON Bea, 1 photo', () => fill(3, 1, people), deleteKey(/^Ada, /)],
  ['removing the second of two faces', 'BUTTON Add a face…', fillCast, deleteKey(/^Bea, /)],
  ['one swap for each face', 'BUTTON Swap 2', fillCast, press('One swap for each face')],
  ['all faces in one swap', 'BUTTON Swap', () => fill(3, 1), press('Put all faces into one swap')],
  ['choosing who becomes whom', 'BUTTON Person 1 becomes Bea', fillCast, inMenu(/becomes Ada/, /^Bea/)],
  ['letting a person stay', 'BUTTON Person 1: stay as they are', fillCast, inMenu(/becomes Ada/, /^Stay as they are/)],
  ['removing a face in the grid', 'BUTTON Swaps of Bea', () => fill(2, 2), press('Remove Ada')],
  ['removing a face in the grid by key', 'BUTTON Swaps of Bea', () => fill(2, 2), deleteKey('Swaps of Ada')],
  ['removing the last face in the grid', 'BUTTON Add faces…', () => fill(1, 2), press('Remove Ada')],
  ['removing one of two videos', 'BUTTON Swap', () => fill(1, 2), press('Remove dawn.mp4')],
  ['adding faces to the grid', 'BUTTON Add faces…', () => fill(1, 2), press('Add faces…')],
  ['adding videos to the grid', 'BUTTON Add videos or pictures…', () => fill(1, 2), press('Add videos or pictures…')],
  ['swapping all', 'BUTTON Choose video…', () => fill(1, 2), press(/^Swap 2/)],
  ['saving a copy', 'BUTTON Save as…', () => openSwap(), press('Save as…')],
  ['showing the file', 'BUTTON Show in folder', () => openSwap(), press('Show in folder')],
  ['swapping again', 'MAIN', () => openSwap(), press('Swap again')],
  ['removing the swap', 'MAIN', () => openSwap(), press('Remove')],
  ['taking the removal of the swap back', 'MAIN', () => openSwap(), undone(press('Remove'))],
  ['going back to a version', 'SECTION Compare', () => openSwap({ versions: versions(2) }), goBack],
])('is on a control after %s: %s', async (_name, to, before, act) => {
  await before()
  await act()
  const focused = (): string => {
    const { activeElement: now } = document
    return `${String(now?.tagName)} ${(now?.ariaLabel ?? now?.textContent ?? '').trim()}`
  }
  await vi.waitFor(() => expect(focused().slice(0, to.length)).toBe(to))
  // It stays there.
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(focused().slice(0, to.length)).toBe(to)
})
