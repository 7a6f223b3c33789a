import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { describe, expect, it, vi } from 'vitest'
import { embeddedProfileId } from '@shared/task-states.ts'
import type { Task } from '@shared/task.ts'
import App from '../../../src/renderer/studio/App.svelte'
// Loaded here, so that no test waits for the first use of it.
import '../../../src/renderer/studio/views/task/TaskPage.svelte'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { FakeMain, type FakeStart } from '../../fixtures/fake-bridge.ts'
import { agency, clip, cloud, embedded, everyState, progress, swap } from '../../fixtures/fake-tasks.ts'

// jsdom has no layout, no popovers and no media.
vi.stubGlobal('matchMedia', () => ({ matches: false }))
HTMLElement.prototype.showPopover = () => undefined
HTMLElement.prototype.hidePopover = () => undefined
HTMLVideoElement.prototype.requestVideoFrameCallback = () => 0
class NoResize {
  observe = (): void => undefined
  unobserve = (): void => undefined
  disconnect = (): void => undefined
}
vi.stubGlobal('ResizeObserver', NoResize)
Object.defineProperty(HTMLElement.prototype, 'clientWidth', { get: () => 1240 })
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 900 })
vi.stubGlobal('CSS', { escape: (text: string) => text })

async function open(start: FakeStart = {}): Promise<{ main: FakeMain; studio: Studio }> {
  const main = new FakeMain(start)
  const studio = new Studio(makeBridge(main.bridge))
  await studio.start()
  render(App, { studio })
  return { main, studio }
}

const library: FakeStart = { tasks: everyState(Date.now()), profiles: [embedded, cloud, agency] }

describe('first start', () => {
  it('makes the sample swap by one click and opens it', async () => {
    const { main, studio } = await open()
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Put a face from a picture into a video')
    await fireEvent.click(screen.getByRole('button', { name: 'Try it with sample media' }))
    await vi.waitFor(() => {
      expect(studio.routes.route).toEqual({ view: 'task', taskId: 'task-1' })
    })
    expect(main.calls.filter(({ method }) => method === 'submit')).toHaveLength(1)
  })

  it('shows the swap from its first frame to the finished video', async () => {
    const { main } = await open()
    await fireEvent.click(screen.getByRole('button', { name: 'Try it with sample media' }))
    await screen.findByText('What happened')
    const seen: string[] = []
    for (const task of main.life('task-1')) {
      main.change(task)
      await tick()
      seen.push(screen.queryByText(/^\d+ of 150 frames$/)?.textContent ?? '')
    }
    expect(seen.filter(Boolean).slice(0, 2)).toEqual(['15 of 150 frames', '30 of 150 frames'])
    expect(await screen.findByRole('button', { name: 'Save as…' })).toBeDefined()
    expect(screen.getByRole('slider', { name: 'Divider between before and after' })).toBeDefined()
    expect(screen.getByText('Saved to Movies / Mien')).toBeDefined()
  })

  it('turns into the composer with the first thing in a well', async () => {
    await open()
    await fireEvent.click(screen.getByRole('button', { name: 'Choose picture…' }))
    expect(await screen.findByText('1 face found')).toBeDefined()
    expect(screen.queryByRole('heading', { level: 1 })).toBeNull()
    expect(screen.getByRole('button', { name: /^Swap/ }).getAttribute('aria-disabled')).toBe('true')
  })
})

describe('the composer', () => {
  it('says on the well what is wrong with a file', async () => {
    await open({ refuse: { face: ['no-face-in-picture', {}] } })
    await fireEvent.click(screen.getByRole('button', { name: 'Choose picture…' }))
    expect((await screen.findByRole('alert')).textContent).toContain('No face found in this picture')
  })

  it('says of a video that no face was seen in it so far', async () => {
    const { studio } = await open()
    await studio.composer.takeVideo('clip.mp4', () => Promise.resolve(clip({ faces: [] })))
    expect(await screen.findByText('No face seen so far')).toBeDefined()
  })

  it('asks for the tick when Swap is pressed without it', async () => {
    const { main } = await open()
    await fireEvent.click(screen.getByRole('button', { name: 'Choose picture…' }))
    await screen.findByText('1 face found')
    await fireEvent.click(screen.getByRole('button', { name: 'Choose video…' }))
    await screen.findByText('1 person')
    await fireEvent.click(screen.getByRole('button', { name: /^Swap/ }))
    expect(screen.getByRole('alert').textContent).toContain('Confirm that you may use this face')
    expect(document.activeElement).toBe(screen.getByRole('checkbox'))
    expect(main.calls).toEqual([])
    await fireEvent.click(screen.getByRole('checkbox'))
    await vi.waitFor(() => {
      expect(screen.getByRole('button', { name: /^Swap/ }).getAttribute('aria-disabled')).toBe('false')
    })
    await fireEvent.keyDown(window, { key: 'Enter', ctrlKey: true })
    await vi.waitFor(() => {
      expect(main.calls.map(({ method }) => method)).toContain('submit')
    })
  })
})

describe('a swap without a result', () => {
  const sound = (state: Task['state']) => swap('x', Date.now(), { state, result: null, profileId: embeddedProfileId })
  it.each([
    ['processing', 'Copied unchanged'],
    // Nothing was copied.
    ['failed', 'AAC'],
    ['cancelled', 'AAC'],
  ] as const)('that is %s says of its sound: %s', async (state, words) => {
    const { studio } = await open({ tasks: [sound(state)], profiles: [embedded] })
    studio.open('x')
    const label = await screen.findByText('Sound')
    expect(label.nextElementSibling?.textContent).toBe(words)
  })
})

describe('a swap on this computer that was held', () => {
  const here = (change: Partial<Task>): FakeStart => ({
    tasks: [swap('x', Date.now(), { profileId: embeddedProfileId, ...change })],
    profiles: [embedded],
  })

  it('says once how much of it is kept', async () => {
    const done = progress({ share: 0.2, framesDone: 315, framesTotal: 1500, savedMs: 12_230 })
    const { studio, main } = await open(here({ state: 'processing', progress: done }))
    studio.open('x')
    expect(await screen.findByText('315 of 1,500 frames')).toBeDefined()
    main.change(swap('x', Date.now(), { ...studio.tasks.get('x'), pause: 'user' }))
    expect(await screen.findByText(/^Everything up to 0:12 is saved/)).toBeDefined()
    expect(screen.queryByText('315 of 1,500 frames')).toBeNull()
  })

  it('does not count that time as work', async () => {
    const [startedAt, minute] = [Date.now() - 3_600_000, 60_000]
    const events = (['paused', 'resumed'] as const).map((what, n) => ({
      ...{ what, details: {} },
      at: startedAt + minute * (1 + 50 * n),
    }))
    const { studio } = await open(here({ state: 'kept', startedAt, endedAt: startedAt + 53 * minute, events }))
    studio.open('x')
    expect(await screen.findByText(/took 3 min/)).toBeDefined()
  })
})

describe('the library', () => {
  it('opens with swaps in it, one stop for the keyboard', async () => {
    await open(library)
    const cells = screen.getAllByRole('gridcell')
    expect(cells.length).toBe(14)
    expect(cells.filter((cell) => cell.tabIndex === 0)).toHaveLength(1)
  })

  it('removes with a way back', async () => {
    const { studio } = await open(library)
    const [cell] = screen.getAllByRole('gridcell').filter((each) => each.textContent.includes('Portrait in motion'))
    if (cell === undefined) throw new Error('no such card')
    cell.focus()
    await fireEvent.keyDown(cell, { key: 'Delete' })
    const toast = (await screen.findByText('“Portrait in motion” removed')).closest('.toast')
    expect(studio.tasks.get('portrait')).toBeUndefined()
    if (!(toast instanceof HTMLElement)) throw new Error('no toast')
    await fireEvent.click(within(toast).getByRole('button', { name: 'Undo' }))
    await vi.waitFor(() => {
      expect(studio.tasks.get('portrait')).toBeDefined()
    })
  })

  it('filters, and says so when there is nothing', async () => {
    const { studio } = await open(library)
    await fireEvent.click(screen.getByRole('button', { name: /^Needs you/ }))
    expect(screen.getAllByRole('gridcell')).toHaveLength(3)
    studio.library.search = 'nowhere'
    await tick()
    expect(screen.getByText('Nothing matches “nowhere”')).toBeDefined()
  })
})

describe('anywhere', () => {
  it.each([
    ['n', 'compose'],
    ['l', 'library'],
    [',', 'settings'],
  ])('Ctrl+%s goes to %s', async (key, view) => {
    const { studio } = await open(library)
    await fireEvent.keyDown(window, { key: 'l', ctrlKey: true })
    await fireEvent.keyDown(window, { key, ctrlKey: true })
    expect(studio.routes.route.view).toBe(view)
  })

  it('shows at most two banners, and closes one', async () => {
    const { main } = await open({
      ...library,
      notices: [
        { id: 'a', kind: 'offline' },
        { id: 'b', kind: 'no-keychain' },
        { id: 'c', kind: 'key-refused', profileId: 'agency', name: 'Agency', lastFour: '8f2c' },
      ],
    })
    expect(screen.queryByText('You are offline.')).toBeNull()
    expect(screen.getByText('Agency no longer accepts the key ending in 8f2c.')).toBeDefined()
    await fireEvent.click(screen.getAllByRole('button', { name: 'Hide' })[0] ?? document.body)
    expect(main.notices.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('says in the corner that a swap is finished, unless it is open', async () => {
    const { main, studio } = await open(library)
    const working = studio.tasks.get('processing')
    if (working === undefined) throw new Error('no such swap')
    main.change({ ...working, state: 'kept' })
    expect(await screen.findByText('“Launch day, close-up” is finished')).toBeDefined()
  })

  it('goes back by Escape', async () => {
    const { studio } = await open(library)
    studio.settings()
    await fireEvent.keyDown(window, { key: 'Escape' })
    expect(studio.routes.route.view).toBe('library')
  })
})
