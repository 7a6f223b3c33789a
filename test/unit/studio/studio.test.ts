import { fireEvent, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { describe, expect, it, vi } from 'vitest'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import type { Task } from '@shared/tasks/task.ts'
// Loaded here, so that no test waits for the first use of it.
import '../../../src/renderer/studio/components/ShortcutsDialog.svelte'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { FakeMain, type FakeStart } from '../../fixtures/fake-bridge.ts'
import { crew } from '../../fixtures/fake-people.ts'
import {
  agency,
  clip,
  cloud,
  embedded,
  everyState,
  monaLisa,
  progress,
  swap,
  unseenClip,
} from '../../fixtures/fake-tasks.ts'
import { chooseBoth, openStudio } from './open-studio.ts'

/** The page of a swap. */
async function openSwap(change: Partial<Task> = {}, start: FakeStart = {}) {
  const opened = await openStudio({ tasks: [swap('x', Date.now(), change)], ...start })
  opened.studio.open('x')
  return opened
}
const library: FakeStart = { tasks: everyState(Date.now()), profiles: [embedded, cloud, agency] }

describe('first start', () => {
  it('shows the swap from its first frame to the finished video', async () => {
    const { main } = await openStudio()
    await fireEvent.click(screen.getByRole('button', { name: 'Try it with sample media' }))
    await screen.findByText('History')
    const seen: string[] = []
    const preview = { frame: 15, beforeId: 'wide-before.jpg', afterId: 'wide-after.jpg' }
    const at = (framesDone: number): Partial<Task> => ({
      ...{ state: 'processing', endedAt: null, result: null, preview },
      progress: progress({ share: framesDone / 150, framesDone, framesTotal: 150, framesSwapped: framesDone - 1 }),
    })
    for (const change of [{ state: 'submitting', result: null } as const, at(15), at(30), {}]) {
      main.library.change(swap('task-1', Date.now(), change))
      await tick()
      seen.push(screen.queryByText(/^\d+ of 150 frames$/)?.textContent ?? '')
    }
    expect(seen).toEqual(['', '15 of 150 frames', '30 of 150 frames', ''])
    expect(await screen.findByRole('button', { name: 'Save as…' })).toBeDefined()
    expect(screen.getByRole('slider', { name: 'Divider between before and after' })).toBeDefined()
    expect(screen.getByText('Saved to Movies / Mien')).toBeDefined()
  })

  it('makes the sample swap by one click and opens it; it is busy at once, and takes no other click', async () => {
    const { main, studio } = await openStudio()
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Swap a face into a video')
    const button = screen.getByRole('button', { name: 'Try it with sample media' })
    await fireEvent.click(button)
    expect(button.getAttribute('aria-busy')).toBe('true')
    expect(button.textContent).toContain('Getting it ready…')
    await fireEvent.click(button)
    await vi.waitFor(() => expect(studio.routes.route).toEqual({ view: 'task', taskId: 'task-1' }))
    expect(main.asked('submit')).toHaveLength(1)
  })

  it('says of the sample where it comes from, and not that its use was confirmed', async () => {
    const face = { ...monaLisa(null), origin: 'sample' as const }
    const { studio } = await openSwap({ face })
    expect(await screen.findByText('Comes with Mien, public domain')).toBeDefined()
    expect(screen.queryByText(/You confirmed/)).toBeNull()
    await studio.composer.prefill(swap('s', Date.now(), { face }), ['face', 'video'])
    studio.routes.go({ view: 'compose' })
    await tick()
    expect(screen.getByText('Comes with Mien, public domain')).toBeDefined()
    expect(screen.queryByRole('checkbox')).toBeNull()
    expect(studio.composer.missing).toBeNull()
  })

  it('turns into the composer with the first thing in a slot', async () => {
    await openStudio()
    await fireEvent.click(screen.getByRole('button', { name: 'Choose face…' }))
    expect(await screen.findByText('1 face found')).toBeDefined()
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('New swap')
    expect(screen.getByRole('button', { name: /^Swap/ }).getAttribute('aria-disabled')).toBe('true')
  })
})

describe('an address that cannot be opened here', () => {
  const address = 'https://intranet.example/clip.mp4'
  const start = (code: 'address-silent' | 'address-refused' | 'address-not-video'): FakeStart => ({
    profiles: [embedded, cloud],
    confirmed: true,
    refuse: { video: [code, { host: 'intranet.example', status: 403 }] },
  })

  it.each(['address-silent', 'address-refused'] as const)(
    'after %s can be used for an online service',
    async (code) => {
      const { main, studio } = await openStudio(start(code))
      await studio.composer.runOn(cloud.id)
      await studio.intake.chooseFace()
      await studio.intake.openAddress(address)
      await fireEvent.click(await screen.findByRole('button', { name: 'Use anyway' }))
      expect(await screen.findByText('Not opened on this computer')).toBeDefined()
      expect(main.calls).toContainEqual({ method: 'useAddress', argument: address })
      expect(studio.composer.missing).toBeNull()
      expect(studio.composer.title).toBe('Clip')
      await studio.composer.runOn(embeddedProfileId)
      await tick()
      expect(studio.composer.missing).toBe('unseen')
      expect(screen.getByText('This computer can’t open that link. Choose an online service.')).toBeDefined()
    },
  )

  it.each([
    ['this computer', embeddedProfileId, 'address-silent'],
    ['what is no video', cloud.id, 'address-not-video'],
  ] as const)('cannot be used for %s', async (_what, profileId, code) => {
    const { studio } = await openStudio(start(code))
    await studio.composer.runOn(profileId)
    await studio.intake.openAddress(address)
    await screen.findByRole('button', { name: 'Change link…' })
    expect(screen.queryByRole('button', { name: 'Use anyway' })).toBeNull()
  })

  it('is shown in the library and on its page without what is not known', async () => {
    const task = swap('u', Date.now(), { video: unseenClip, profileId: cloud.id, state: 'processing', result: null })
    const { studio } = await openStudio({ tasks: [task], profiles: [embedded, cloud] })
    await screen.findAllByText('Astronaut clip')
    studio.open('u')
    expect((await screen.findAllByText('Not opened on this computer')).length).toBeGreaterThan(0)
    expect(document.body.textContent).not.toMatch(/NaN|null|undefined/)
  })
})

describe('the composer', () => {
  it('replaces what is in a slot by a button in it', async () => {
    const { main, studio } = await openStudio()
    await studio.intake.chooseFace()
    const mediaSlot = within(screen.getByRole('region', { name: 'Face' }))
    main.refuse = { face: ['no-face-in-picture', {}] }
    await fireEvent.click(await mediaSlot.findByRole('button', { name: 'Replace…' }))
    expect((await mediaSlot.findByRole('alert')).textContent).toContain('No face found in this picture')
  })

  it('says of a video that no face was seen in it so far', async () => {
    const { studio } = await openStudio({ people: crew({ people: [], clips: [], scanned: 0.4 }) })
    await studio.intake.take([{ kind: 'video', name: 'clip.mp4', read: () => Promise.resolve(clip({ faces: [] })) }])
    expect(await screen.findByText('No face found yet')).toBeDefined()
  })

  it('asks for the tick when Swap is pressed without it', async () => {
    const { main, studio } = await openStudio()
    await chooseBoth(studio.intake)
    await screen.findByText('1 person')
    await fireEvent.click(screen.getByRole('button', { name: /^Swap/ }))
    expect(screen.getByRole('alert').textContent).toContain('Confirm that you may use this face')
    expect(document.activeElement).toBe(screen.getByRole('checkbox'))
    expect(main.calls).toEqual([])
    await fireEvent.click(screen.getByRole('checkbox'))
    await vi.waitFor(() =>
      expect(screen.getByRole('button', { name: /^Swap/ }).getAttribute('aria-disabled')).toBe('false'),
    )
    await fireEvent.keyDown(window, { key: 'Enter', ctrlKey: true })
    await vi.waitFor(() => expect(main.calls.map(({ method }) => method)).toContain('submit'))
  })
})

describe('a swap without a result', () => {
  it.each([
    ['processing', 'Copied unchanged'],
    // Nothing was copied.
    ['failed', 'AAC'],
    ['cancelled', 'AAC'],
  ] as const)('that is %s says of its sound: %s', async (state, words) => {
    await openSwap({ state, result: null, profileId: embeddedProfileId })
    const label = await screen.findByText('Sound')
    expect(label.nextElementSibling?.textContent).toBe(words)
  })
})

it('a swap in progress speaks of its frames once: below the picture, not on it', async () => {
  HTMLImageElement.prototype.decode = () => Promise.resolve()
  const done = progress({ share: 0.49, framesDone: 98, framesTotal: 200 })
  const preview = { frame: 13, beforeId: 'before', afterId: 'after' }
  await openSwap({ state: 'processing', progress: done, preview })
  await screen.findByAltText('The latest swapped frame')
  const viewer = screen.getByRole('region', { name: 'Live picture' })
  expect(viewer.textContent.match(/(?:frame \d+|[\d,]+ of [\d,]+ frames)/gi)).toEqual(['98 of 200 frames'])
})

it('the sound is off below half speed, and says so', async () => {
  await openSwap({}, { settings: { muted: false } })
  const sound = await screen.findByRole('button', { name: 'Sound' })
  for (let press = 0; press < 2; press += 1) await fireEvent.keyDown(document.body, { key: '<', shiftKey: true })
  expect(sound.title).toContain('No sound below half speed')
})

it('a swap that was cancelled is tried again as it is, or swapped again with changes', async () => {
  const { main } = await openSwap({ state: 'cancelled', result: null })
  await screen.findByRole('button', { name: 'Try again' })
  expect(screen.getAllByRole('button', { name: / again$/ })).toHaveLength(2)
  await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await vi.waitFor(() => expect(main.library.tasks.get('x')?.state).toBe('queued'))
})

describe('a swap on this computer that was held', () => {
  const openHere = (change: Partial<Task>) => openSwap({ profileId: embeddedProfileId, ...change })

  it('says once how much of it is kept', async () => {
    const done = progress({ share: 0.2, framesDone: 315, framesTotal: 1500, savedMs: 12_230 })
    const { main } = await openHere({ state: 'processing', progress: done })
    expect(await screen.findByText('315 of 1,500 frames')).toBeDefined()
    main.library.change(swap('x', Date.now(), { ...main.library.tasks.get('x'), pause: 'user' }))
    expect(await screen.findByText(/^Saved up to 0:12/)).toBeDefined()
    expect(screen.queryByText('315 of 1,500 frames')).toBeNull()
  })

  it('does not count that time as work', async () => {
    const [startedAt, minute] = [Date.now() - 3_600_000, 60_000]
    const events = (['paused', 'resumed'] as const).map((what, n) => ({
      ...{ what, details: {} },
      at: startedAt + minute * (1 + 50 * n),
    }))
    await openHere({ state: 'kept', startedAt, endedAt: startedAt + 53 * minute, events })
    expect(await screen.findByText(/took 3 min/)).toBeDefined()
  })
})

describe('technical details', () => {
  const show = async (change: Partial<Task>): Promise<string> => {
    await openSwap({ serviceStatus: 'queued', ...change }, { profiles: [embedded, cloud] })
    await screen.findByText('History')
    return screen.getByRole('complementary').textContent
  }

  it.each([
    ['are for online services only', { profileId: embeddedProfileId }, false, false],
    ['say a status while the service has one', { profileId: 'cloud', state: 'waiting', result: null }, true, true],
    ['say none of a swap that was cancelled', { profileId: 'cloud', state: 'cancelled', result: null }, true, false],
  ] as const)('%s', async (_what, change, isThere, hasStatus) => {
    const text = await show(change)
    expect([text.includes('Technical details'), text.includes('queued')]).toEqual([isThere, hasStatus])
  })
})

describe('the library', () => {
  it('opens with swaps in it, one stop for the keyboard', async () => {
    await openStudio(library)
    const cells = screen.getAllByRole('gridcell')
    expect(cells.length).toBe(14)
    expect(cells.filter((cell) => cell.tabIndex === 0)).toHaveLength(1)
  })

  it('draws faces, hidden controls and the rows out of sight after the first frame', async () => {
    const height = vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600)
    const tasks = Array.from({ length: 60 }, (_, index) => swap(`clip-${String(index)}`, Date.now()))
    const { studio } = await openStudio({ tasks }, false)
    const shown = async (): Promise<number[]> => {
      await tick()
      const grid = within(screen.getByRole('grid'))
      return ['row', 'img', 'button'].map((role) => grid.queryAllByRole(role).length)
    }
    expect(await shown()).toEqual([6, 0, 0])
    studio.isPainted = true
    expect(await shown()).toEqual([8, 35, 105])
    height.mockRestore()
  })

  it('is read while the models are still listed', async () => {
    const main = new FakeMain(library)
    const models = Promise.withResolvers<undefined>()
    const { list } = main.bridge.models
    Object.assign(main.bridge.models, { list: () => models.promise.then(() => list()) })
    const studio = new Studio(makeBridge(main.bridge))
    const started = studio.start()
    await vi.waitFor(() => expect(studio.library.counts.all).toBe(14))
    models.resolve(undefined)
    await started
  })

  it('removes with a way back', async () => {
    await openStudio(library)
    const name = /Portrait in motion/
    const cell = screen.getByRole('gridcell', { name })
    cell.focus()
    await fireEvent.keyDown(cell, { key: 'Delete' })
    await screen.findByTitle('“Portrait in motion” removed')
    await vi.waitFor(() => expect(screen.queryByRole('gridcell', { name })).toBeNull())
    await fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await screen.findByRole('gridcell', { name })
  })

  it('opens a set by a double click or a key, folds it by the next click or another key, and selects its swaps', async () => {
    const of = (number: number) => swap(`x${String(number)}`, number, { batch: { id: 'set', number, count: 2 } })
    await openStudio({ tasks: [of(1), of(2), swap('y', 3)] })
    const set = () => screen.findByRole('gridcell', { name: /^Set 1 face, 1 file, 2 of 2 finished/ })
    /** How many cells there are then: the set, the swap beside it, and its own while it is open. */
    const click = async (detail: number): Promise<number> => {
      await fireEvent.click(await set(), { detail })
      return screen.getAllByRole('gridcell', { name: /./ }).length
    }
    const press = async (key: string): Promise<number> => {
      ;(await set()).focus()
      await fireEvent.keyDown(await set(), { key })
      return screen.getAllByRole('gridcell', { name: /./ }).length
    }
    expect([await click(1), await click(2), await click(1)]).toEqual([4, 4, 2])
    expect([await press('ArrowRight'), await press(' '), await press('ArrowLeft')]).toEqual([4, 4, 2])
    await screen.findByText('2 selected')
  })

  it('of thousands goes to its end by a key, and keeps the focus', async () => {
    const tasks = Array.from({ length: 3000 }, (_, index) => swap(`s${String(index)}`, Date.now() - index * 60_000))
    const { studio } = await openStudio({ tasks })
    await vi.waitFor(() => expect(studio.library.order).toHaveLength(3000))
    const [first] = screen.getAllByRole('gridcell')
    first?.focus()
    await fireEvent.keyDown(first ?? document.body, { key: 'End' })
    await vi.waitFor(() => expect(document.activeElement?.getAttribute('data-task')).toBe('s2999'))
  })

  it('filters, and says so when there is nothing', async () => {
    const { studio } = await openStudio(library)
    await fireEvent.click(screen.getByRole('button', { name: /^Needs attention/ }))
    await vi.waitFor(() => expect(screen.getAllByRole('gridcell')).toHaveLength(3))
    studio.library.search = 'nowhere'
    expect((await screen.findByText('Nothing matches “nowhere”')).tagName).toBe('P')
  })
})

describe('anywhere', () => {
  it.each([
    ['n', 'compose'],
    ['l', 'library'],
    [',', 'settings'],
  ])('Ctrl+%s goes to %s', async (key, view) => {
    const { studio } = await openStudio(library)
    await fireEvent.keyDown(window, { key: 'l', ctrlKey: true })
    await fireEvent.keyDown(window, { key, ctrlKey: true })
    expect(studio.routes.route.view).toBe(view)
  })

  it('shows at most two banners, and closes one', async () => {
    const { main } = await openStudio({
      ...library,
      notices: [
        { id: 'a', kind: 'offline' },
        { id: 'b', kind: 'no-keychain' },
        { id: 'c', kind: 'key-refused', profileId: 'agency', name: 'Agency', lastFour: '8f2c' },
      ],
    })
    expect(screen.queryByText('You’re offline.')).toBeNull()
    expect(screen.getByText('Agency doesn’t accept the key ending in 8f2c.')).toBeDefined()
    await fireEvent.click(screen.getAllByRole('button', { name: 'Hide' })[0] ?? document.body)
    expect(main.notices.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('tries to start the service of this computer again from its banner', async () => {
    const error = { code: 'disk-full', details: {} } as const
    const { main } = await openStudio({ notices: [{ id: 's', kind: 'service-failed', error }] })
    await fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(main.calls.at(-1)?.method).toBe('retryService')
  })

  it('says in the corner that a swap is finished, unless it is open', async () => {
    const { main } = await openStudio(library)
    main.library.change(swap('processing', Date.now(), { title: 'Launch day, close-up' }))
    expect(await screen.findByTitle('“Launch day, close-up” is finished')).toBeDefined()
  })

  it('says in one message how many swaps of a batch are finished', async () => {
    const batch = { id: 'b', number: 1, count: 3 }
    const tasks = ['x', 'y', 'z'].map((id) => swap(id, Date.now(), { state: 'processing', batch }))
    const { main, studio } = await openStudio({ tasks })
    studio.routes.go({ view: 'compose' })
    for (const task of tasks) main.library.change({ ...task, state: 'kept' })
    await screen.findByText('3 swaps are finished')
    expect(studio.toasts.list).toHaveLength(1)
  })

  it.each([
    ['F1', {}],
    ['?', { shiftKey: true }],
  ])('%s lists the shortcuts, and Escape closes the list', async (key, init) => {
    const { studio } = await openStudio(library)
    await fireEvent.keyDown(window, { key, ...init })
    const sheet = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
    expect(within(sheet).getByText('Show in folder').nextElementSibling?.textContent).toBe('Ctrl Alt R')
    sheet.dispatchEvent(new Event('cancel', { cancelable: true }))
    await tick()
    expect(studio.shortcutsShown).toBe(false)
  })

  it('types a ? into a field', async () => {
    const { studio } = await openStudio(library)
    await fireEvent.keyDown(screen.getByPlaceholderText('Search'), { key: '?', shiftKey: true })
    expect(studio.shortcutsShown).toBe(false)
  })

  it('shows a result in its folder by Ctrl Alt R, and leaves Ctrl R alone', async () => {
    const { main, studio } = await openStudio(library)
    studio.open('portrait')
    await screen.findByText('History')
    await fireEvent.keyDown(window, { key: 'r', ctrlKey: true })
    expect(main.asked('showInFolder')).toHaveLength(0)
    await fireEvent.keyDown(window, { key: 'r', code: 'KeyR', ctrlKey: true, altKey: true })
    expect(main.asked('showInFolder')).toHaveLength(1)
  })

  it('offers to undo a cancel of a swap that this computer has begun, and not of one that a service has', async () => {
    const here = swap('here', Date.now(), { profileId: embedded.id, state: 'processing', objectId: 'o', title: 'Here' })
    const there = swap('there', Date.now(), { profileId: 'agency', state: 'processing', objectId: 'p', title: 'There' })
    const { studio, main } = await openStudio({ tasks: [here, there], profiles: [embedded] })
    studio.swaps.cancel([there])
    await vi.waitFor(() => expect(main.library.tasks.get('there')?.state).toBe('cancelled'))
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
    studio.swaps.cancel([here])
    expect(await screen.findByTitle('“Here” cancelled')).toBeDefined()
    await fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await vi.waitFor(() => expect(main.library.tasks.get('here')?.state).toBe('queued'))
  })
})
