import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { describe, expect, it, vi } from 'vitest'
import App from '../../../src/renderer/studio/App.svelte'
// Loaded here, so that no test waits for the first use of it.
import '../../../src/renderer/studio/views/compose/people/CorrectPeople.svelte'
import type { FakeMain, FakeStart } from '../../fixtures/fake-bridge.ts'
import { crew, crewClip, threeFaces } from '../../fixtures/fake-people.ts'
import { cloud, embedded, swap } from '../../fixtures/fake-tasks.ts'
import { startStudio } from './open-studio.ts'

async function open(faces = 3, start: FakeStart = {}) {
  const filled = { faces: threeFaces(1), video: crewClip(), people: crew(), confirmed: true }
  const { main, studio } = await startStudio({ ...filled, ...start })
  studio.routes.go({ view: 'compose' })
  render(App, { studio })
  for (let count = 0; count < faces; count += 1) await studio.intake.addFace()
  await studio.intake.chooseVideo()
  await vi.waitFor(() => expect(studio.composer.people.video).not.toBeNull())
  await tick()
  return { main, studio }
}

const button = (name: string | RegExp): HTMLElement => screen.getByRole('button', { name })
/** What the people become, by the buttons on their cards. */
const cast = (): (string | null)[] =>
  [...document.querySelectorAll('.becomes')].map((element) => element.getAttribute('aria-label'))
const press = (element: Element, key: string, init: KeyboardEventInit = {}) =>
  fireEvent.keyDown(element, { key, ...init })
/** Focuses the button of a person, as Tab does, and presses a key on it. */
async function pressOn(person: string, key: string): Promise<void> {
  const card = screen.getByRole('article', { name: new RegExp(`^${person},`) })
  const becomes = card.querySelector<HTMLElement>('.becomes')
  becomes?.focus()
  await press(document.activeElement ?? card, key)
}
/** Presses an item of an open menu. jsdom shows no popovers, so their roles have no names. */
async function choose(menu: string, item: string): Promise<void> {
  const found = await vi.waitFor(() => {
    const items = document.querySelectorAll(`[role="menu"][aria-label="${menu}"] button`)
    const button = [...items].find(({ textContent }) => textContent.trim().startsWith(item))
    if (!button) throw new Error(`${menu}: no ${item}`)
    return button
  })
  await fireEvent.click(found)
}

describe('the composer', () => {
  it('looks as before with one face and one person', async () => {
    await open(1, { people: crew({ people: crew().people.slice(0, 1) }) })
    expect(screen.queryByRole('heading', { name: 'Faces' })).toBeNull()
    expect(screen.queryByRole('heading', { name: 'Who becomes whom' })).toBeNull()
    expect(screen.getByText('1 person')).toBeDefined()
    expect(screen.getByRole('checkbox', { name: /I may use this face/ })).toBeDefined()
  })

  it('shows each person with their time, and whom they become', async () => {
    await open(2)
    expect(screen.getByText('3 people')).toBeDefined()
    expect(screen.getByText('Seen 57%, 0:24')).toBeDefined()
    const presence = screen.getByRole('img', { name: 'When Person 3 is seen' })
    expect([...presence.children].map((span) => span.getAttribute('style'))).toEqual([
      expect.stringMatching(/^left: 4\.76\d*%; width: 4\.76\d*%;$/),
      expect.stringMatching(/^left: 52\.38\d*%; width: 7\.14\d*%;$/),
    ])
    expect(cast()).toEqual(['Person 1 becomes Lisa', 'Person 2 becomes Ada', 'Person 3: stay as they are'])
  })

  it('fills while the scan runs', async () => {
    const one = { ...crew(), people: crew().people.slice(0, 1), scanned: 0.4 }
    const { main } = await open(1, { people: one })
    expect(screen.getByText('Looking for people… 40%')).toBeDefined()
    main.peopleChanged.emit({ ...main.peopleOf('crew.mp4'), people: crew().people, scanned: 0.62 })
    await tick()
    expect(screen.getByText('Looking for people… 62%')).toBeDefined()
    expect(cast()).toHaveLength(3)
    await pressOn('Person 2', 'F2')
    expect(screen.queryByRole('textbox', { name: 'Name of Person 2' })).toBeNull()
    expect(screen.getByText('Still looking for people')).toBeDefined()
    expect(button('Correct people…').getAttribute('aria-disabled')).toBe('true')
    main.peopleChanged.emit({ ...main.peopleOf('crew.mp4'), people: crew().people, scanned: 1 })
    await tick()
    expect(screen.queryByText(/Looking for people/)).toBeNull()
  })

  it('says that looking for people failed, and tries again', async () => {
    const error = { code: 'engine-crashed', details: {} } as const
    const { main, studio } = await open(1, { people: crew({ scanned: 0.4, error }) })
    expect(screen.getByText('Looking for people failed')).toBeDefined()
    expect(studio.composer.people.scanned).toBeNull()
    expect(studio.composer.missing).toBeNull()
    main.people = crew()
    await fireEvent.click(button('Look for people again'))
    expect(await screen.findByRole('heading', { name: 'Who becomes whom' })).toBeDefined()
  })

  it('casts three people by keys alone', async () => {
    const { main, studio } = await open(3)
    await pressOn('Person 1', '3')
    await pressOn('Person 2', '1')
    await pressOn('Person 3', '2')
    expect(cast()).toEqual(['Person 1 becomes Noor', 'Person 2 becomes Lisa', 'Person 3 becomes Ada'])
    await pressOn('Person 2', '0')
    expect(cast()[1]).toBe('Person 2: stay as they are')
    expect(screen.getByText('Lisa isn’t used')).toBeDefined()
    await studio.composer.faces.confirm(studio.composer.faces.list, true)
    await press(document.body, 'Enter', { ctrlKey: true })
    await vi.waitFor(() => {
      expect(main.asked('submit').at(-1)).toMatchObject({
        faceId: 'noor.jpg',
        cast: [
          { personId: 'a', faceId: 'noor.jpg' },
          { personId: 'c', faceId: 'ada.jpg' },
        ],
      })
    })
  })

  it('casts by the menu of a person, and by a face dragged onto them', async () => {
    const { studio } = await open(2)
    await fireEvent.click(button('Person 3: stay as they are'))
    await choose('Person 3 becomes', 'Lisa')
    expect(cast()[2]).toBe('Person 3 becomes Lisa')
    const data = new Map<string, string>()
    const dataTransfer = {
      setData: (type: string, value: string) => data.set(type, value),
      getData: (type: string) => data.get(type) ?? '',
      get types() {
        return [...data.keys()]
      },
      files: [],
      items: [],
    }
    await fireEvent.dragStart(button('Ada, 1 photo'), { dataTransfer })
    const card = screen.getByRole('article', { name: /^Person 3/ })
    await fireEvent.dragOver(card, { dataTransfer })
    expect(card.classList.contains('over')).toBe(true)
    await fireEvent.drop(card, { dataTransfer })
    expect(cast()[2]).toBe('Person 3 becomes Ada')
    expect(studio.toasts.list).toEqual([])
  })

  it('casts by the digits beside the faces of an open menu', async () => {
    await open(2)
    const menu = () => document.querySelector('[role="menu"][aria-label="Person 2 becomes"]') ?? document.body
    for (const [key, becomes] of [
      ['1', 'Person 2 becomes Lisa'],
      ['0', 'Person 2: stay as they are'],
      ['2', 'Person 2 becomes Ada'],
    ] as const) {
      await fireEvent.click(button(cast()[1] ?? ''))
      await press(menu(), key)
      expect(cast()[1]).toBe(becomes)
    }
  })

  it('adds a face for a person from their menu', async () => {
    await open(1)
    await fireEvent.click(button('Person 3: stay as they are'))
    await choose('Person 3 becomes', 'Add a face…')
    await vi.waitFor(() =>
      expect(cast()).toEqual(['Person 1 becomes Lisa', 'Person 2: stay as they are', 'Person 3 becomes Ada']),
    )
  })

  it('shows and removes faces in the tray, and takes a dropped picture as another', async () => {
    const { studio } = await open(2)
    await fireEvent.click(button('Ada, 1 photo'))
    expect(screen.getByRole('img', { name: /ada\.jpg/ })).toBeDefined()
    const files = [new File(['x'], 'noor.jpg', { type: 'image/jpeg' })]
    await fireEvent.drop(button('Add a face…'), { dataTransfer: { files, types: ['Files'], items: [] } })
    expect(await screen.findByRole('button', { name: 'Noor, 1 photo' })).toBeDefined()
    await press(button('Lisa, 1 photo'), 'Delete')
    expect(studio.composer.faces.list).toHaveLength(2)
    expect(cast()).toEqual(['Person 1: stay as they are', 'Person 2 becomes Ada', 'Person 3 becomes Noor'])
  })

  it('asks once for all faces that need it', async () => {
    const { main } = await open(3)
    const tick = screen.getByRole('checkbox', { name: /I may use Ada and Noor/ })
    expect(screen.getByText('Confirmed earlier: Lisa. Asked once for each face.')).toBeDefined()
    await fireEvent.click(tick)
    await vi.waitFor(() => expect(button(/^Swap/).getAttribute('aria-disabled')).toBe('false'))
    expect(main.calls.filter(({ method }) => method === 'confirmFace')).toHaveLength(2)
  })

  it('says that an online service may not choose people, and that a changed video lost its corrections', async () => {
    const { main, studio } = await open(1, { profiles: [embedded, cloud] })
    await studio.composer.runOn(cloud.id)
    await tick()
    expect(screen.getByText('Studio Cloud may not support choosing people.')).toBeDefined()
    main.peopleChanged.emit({ ...main.peopleOf('crew.mp4'), wasChanged: true })
    await tick()
    expect(screen.getByText(/^This video changed since its people were corrected/)).toBeDefined()
  })

  it('renames by F2, and removes somebody who is no person, with a way back', async () => {
    const { main } = await open(1)
    await pressOn('Person 2', 'F2')
    const field = screen.getByRole('textbox', { name: 'Name of Person 2' })
    expect(document.activeElement).toBe(field)
    await fireEvent.input(field, { target: { value: 'Bea' } })
    await press(field, 'Enter')
    await screen.findByRole('article', { name: /^Bea/ })
    expect(main.asked('correct').at(-1)).toMatchObject([{ id: 'a' }, { id: 'b', name: 'Bea' }, { id: 'c' }])
    await pressOn('Bea', 'Delete')
    expect(await screen.findByText('Bea isn’t a person')).toBeDefined()
    expect(cast()).toHaveLength(2)
    await vi.waitFor(() =>
      expect(document.activeElement?.getAttribute('aria-label')).toBe('Person 2: stay as they are'),
    )
    await press(document.body, 'z', { ctrlKey: true })
    await screen.findByRole('article', { name: /^Bea/ })
  })

  it('marks who is seen in the frame, and who they become', async () => {
    const { studio } = await open(2)
    const tags = (): string[] =>
      [...document.querySelectorAll('.tag')].map(({ textContent }) => textContent.replaceAll(/\s+/g, ' ').trim())
    await vi.waitFor(() => expect(tags()).toEqual(['1 Lisa', '2 Ada']))
    screen.getByRole('button', { name: /^Person 2 / }).focus()
    await pressOn('Person 2', '0')
    expect(tags()).toEqual(['1 Lisa', '2 stays'])
    expect([...document.querySelectorAll('ellipse:not(.halo)')].map((oval) => [...oval.classList].filter((name) => !name.startsWith('svelte')))).toEqual([['dashed'], ['stays']]) // prettier-ignore
    studio.composer.trim?.seek(2100)
    await tick()
    expect(tags()).toEqual(['3 stays'])
  })

  it('merges two people by the menu of one', async () => {
    const { main } = await open(1)
    await fireEvent.click(button('More for Person 3'))
    await choose('More for Person 3', 'Merge with…')
    await choose('Merge Person 3 with', 'Person 1')
    expect(main.asked('correct').at(-1)).toMatchObject([{ id: 'a', clipIds: [0, 1, 2, 3, 4, 20, 21] }, { id: 'b' }])
    expect(await screen.findByText('Person 3 merged with Person 1')).toBeDefined()
  })
})

describe('Correct people', () => {
  async function correct(start: FakeStart = {}): Promise<{ main: FakeMain; dialog: HTMLElement }> {
    const { main } = await open(1, start)
    await fireEvent.click(button('Correct people…'))
    return { main, dialog: await screen.findByRole('dialog', { name: 'Correct people' }) }
  }
  const clipsOf = (dialog: HTMLElement, name: string): (string | undefined)[] =>
    within(within(dialog).getByRole('region', { name }))
      .queryAllByRole('option')
      .map((clip) => clip.textContent.trim())
  const optionIn = (dialog: HTMLElement, name: string, at: number): HTMLElement => {
    const clip = within(within(dialog).getByRole('region', { name })).getAllByRole('option')[at]
    if (!clip) throw new Error(`${name} has no clip ${String(at)}`)
    return clip
  }

  it('has a lane for each person, and one for what is no person', async () => {
    const { dialog } = await correct()
    expect(clipsOf(dialog, 'Person 3')).toEqual(['0:02 to 0:04', '0:22 to 0:25'])
    expect(clipsOf(dialog, 'Not a person')).toEqual(['0:18 to 0:20'])
    expect(within(dialog).getByText('8 clips, 0:18')).toBeDefined()
  })

  it('splits a clip at a frame, and the rest becomes somebody else; undo and redo', async () => {
    const { main, dialog } = await correct()
    await fireEvent.click(optionIn(dialog, 'Person 3', 1))
    await press(optionIn(dialog, 'Person 3', 1), 's')
    const frame = await within(dialog).findByRole('slider', { name: 'First frame with somebody else' })
    await vi.waitFor(() => expect(frame.getAttribute('aria-valuetext')).toBe('0:23.48'))
    expect(document.activeElement).toBe(frame)
    await press(frame, 'ArrowRight')
    await vi.waitFor(() => expect(frame.getAttribute('aria-valuetext')).toBe('0:23.52'))
    await press(frame, 's')
    await vi.waitFor(() =>
      expect(clipsOf(dialog, 'Person 3')).toEqual(['0:02 to 0:04', '0:22 to 0:24', '0:24 to 0:25']),
    )
    expect(within(dialog).queryByRole('slider')).toBeNull()
    expect(main.people.splits).toEqual([{ clipId: 21, atMs: 23_520 }])
    // The rest is selected.
    await press(optionIn(dialog, 'Person 3', 2), 'n')
    await vi.waitFor(() => expect(clipsOf(dialog, 'Person 4')).toEqual(['0:24 to 0:25']))
    await press(dialog, 'z', { ctrlKey: true })
    await press(dialog, 'z', { ctrlKey: true })
    await vi.waitFor(() => expect(clipsOf(dialog, 'Person 3')).toEqual(['0:02 to 0:04', '0:22 to 0:25']))
    expect(main.people.splits).toEqual([])
    await press(dialog, 'Z', { ctrlKey: true, shiftKey: true })
    await vi.waitFor(() => expect(clipsOf(dialog, 'Person 3')).toHaveLength(3))
    await press(dialog, 'y', { ctrlKey: true })
    await vi.waitFor(() => expect(clipsOf(dialog, 'Person 4')).toEqual(['0:24 to 0:25']))
  })

  it('has at most thirty people', async () => {
    const clips = Array.from({ length: 31 }, (_, id) => ({ id, fromMs: id * 1000, toMs: id * 1000 + 900, faceId: 'f' }))
    const persons = clips.slice(0, 30).map(({ id }) => ({ id: `p${String(id)}`, name: null, clipIds: [id] }))
    const { main, dialog } = await correct({ people: crew({ clips, people: persons }) })
    await fireEvent.click(optionIn(dialog, 'Not a person', 0))
    expect(within(dialog).getByRole('button', { name: /^New person/ }).title).toBe('There can be at most 30 people.')
    await press(optionIn(dialog, 'Not a person', 0), 'n')
    expect(main.asked('correct').at(-1)).toBeUndefined()
  })

  it('can be reached with one person, so that they can be split', async () => {
    const { dialog } = await correct({ people: crew({ people: crew().people.slice(0, 1) }) })
    await fireEvent.click(optionIn(dialog, 'Person 1', 4))
    await press(optionIn(dialog, 'Person 1', 4), 'n')
    expect(clipsOf(dialog, 'Person 2')).toEqual(['0:34 to 0:39'])
  })

  it('moves a clip by keys, and says where it is now', async () => {
    const { main, dialog } = await correct()
    const first = optionIn(dialog, 'Person 3', 0)
    first.focus()
    await fireEvent.click(first)
    await press(first, 'ArrowRight')
    await vi.waitFor(() => expect(document.activeElement?.textContent.trim()).toBe('0:22 to 0:25'))
    expect(within(dialog).getByText('1 clip selected')).toBeDefined()
    await press(document.activeElement ?? dialog, 'm')
    await choose('Move to', 'Person 1')
    await vi.waitFor(() => expect(clipsOf(dialog, 'Person 1')).toHaveLength(6))
    expect(within(dialog).getByText('0:22 to 0:25: Person 1, now 4 of 6')).toBeDefined()
    await vi.waitFor(() => expect(document.activeElement?.textContent.trim()).toBe('0:22 to 0:25'))
    expect(main.asked('correct').at(-1)).toMatchObject([
      { id: 'a', clipIds: [0, 1, 2, 3, 4, 21] },
      {},
      { clipIds: [20] },
    ])
  })

  it('renames the person of the selected clip by F2, and merges them', async () => {
    const { dialog } = await correct()
    await fireEvent.click(optionIn(dialog, 'Person 3', 0))
    await press(optionIn(dialog, 'Person 3', 0), 'F2')
    const field = within(dialog).getByRole('textbox', { name: 'Name of Person 3' })
    await fireEvent.input(field, { target: { value: 'Cleo' } })
    await press(field, 'Enter')
    await within(dialog).findByRole('region', { name: 'Cleo' })
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Merge people…' }))
    await choose('Merge Cleo with', 'Person 2')
    expect(clipsOf(dialog, 'Cleo')).toHaveLength(10)
  })

  it('moves several clips by a drag', async () => {
    const { dialog } = await correct()
    await fireEvent.click(optionIn(dialog, 'Person 2', 0))
    await fireEvent.click(optionIn(dialog, 'Person 2', 1), { ctrlKey: true })
    const dataTransfer = { setData: () => undefined, types: ['application/x-mien-clip'] }
    await fireEvent.dragStart(optionIn(dialog, 'Person 2', 1), { dataTransfer })
    const lane = within(dialog).getByRole('region', { name: 'Not a person' })
    await fireEvent.dragOver(lane, { dataTransfer })
    await fireEvent.drop(lane, { dataTransfer })
    expect(clipsOf(dialog, 'Not a person')).toEqual(['0:00 to 0:05', '0:08 to 0:10', '0:18 to 0:20'])
    expect(within(dialog).getByText('2 clips: Not a person')).toBeDefined()
  })

  it('goes between lanes by arrows, and takes clips from a person by Delete', async () => {
    const { dialog } = await correct()
    const first = optionIn(dialog, 'Person 1', 1)
    first.focus()
    await fireEvent.click(first)
    await press(first, 'ArrowRight')
    await press(dialog.querySelector('[tabindex="0"][data-clip]') ?? dialog, 'ArrowDown', { shiftKey: true })
    expect(within(dialog).getByText('2 clips selected')).toBeDefined()
    await press(dialog, 'Delete')
    expect(clipsOf(dialog, 'Not a person')).toEqual(['0:00 to 0:05', '0:12 to 0:15', '0:18 to 0:20'])
  })

  it('stays open when only one person is left, and resets', async () => {
    const { main, dialog } = await correct()
    for (const name of ['Person 3', 'Person 2']) {
      await fireEvent.click(within(dialog).getByRole('button', { name: `More for ${name}` }))
      await choose(`More for ${name}`, 'Not a person')
    }
    expect(within(dialog).queryByRole('region', { name: 'Person 2' })).toBeNull()
    await fireEvent.click(await within(dialog).findByRole('button', { name: 'Undo all corrections' }))
    await vi.waitFor(() => expect(clipsOf(dialog, 'Person 3')).toHaveLength(2))
    expect(main.asked('reset').at(-1)).toBe('crew.mp4')
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Done' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})

it('the page of a swap says who becomes whom', async () => {
  const [lisa, ada] = threeFaces(1)
  if (!lisa || !ada) throw new Error('There are three faces')
  const cast = [
    { personId: 'a', personName: null, personFaceId: 'person-a.jpg', face: lisa, pictures: [] },
    { personId: 'b', personName: 'Bea', personFaceId: 'person-b.jpg', face: ada, pictures: [] },
    { personId: 'c', personName: null, personFaceId: 'person-c.jpg', face: lisa, pictures: [] },
  ]
  const { studio } = await open(0, { tasks: [swap('s', Date.now(), { face: lisa, cast })] })
  studio.open('s')
  expect(await screen.findByText('Person 1 becomes Lisa')).toBeDefined()
  expect(screen.getByText('Bea becomes Ada')).toBeDefined()
  expect(screen.getByText('Person 3 becomes Lisa')).toBeDefined()
  expect(screen.getByRole('heading', { name: 'Faces' })).toBeDefined()
})
