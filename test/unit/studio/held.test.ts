/** @file What the composer shows and holds when files come, in the page. The rule itself is in contents-model.test.ts. */
import { fireEvent, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { expect, it, vi } from 'vitest'
import { defaultOptions } from '@shared/options/default-options.ts'
import { yes } from '../../fixtures/fake-answers.ts'
import { FakeMain, type FakeStart } from '../../fixtures/fake-bridge.ts'
import { crew } from '../../fixtures/fake-people.ts'
import { agency, clip, embedded, faceFile, monaLisa, swap } from '../../fixtures/fake-tasks.ts'
import { chooseBoth, dropOn, film, openStudio, picture } from './open-studio.ts'

/** `slow`: what is dropped isn't read until `read` is called. */
async function open(start: FakeStart = {}, slow = false) {
  const main = new FakeMain({ confirmed: true, ...start })
  const { intake } = main.bridge
  const { promise, resolve: read } = Promise.withResolvers<undefined>()
  if (!slow) read(undefined)
  vi.spyOn(intake, 'dropFace').mockImplementation(
    async ({ name }) => (await promise, yes(faceFile({ ...monaLisa(1), id: name, name }))),
  )
  vi.spyOn(intake, 'dropVideo').mockImplementation(
    async ({ name }) => (await promise, yes({ ...clip(), id: name, name })),
  )
  const { studio } = await openStudio(main)
  studio.routes.go({ view: 'compose' })
  await tick()
  return { main, studio, read: () => read(undefined) }
}
const drop = (...files: File[]) => dropOn(document.querySelector('main') ?? document.body, files)
const swapButton = (): Element => document.querySelector('.action-bar .primary') ?? document.body
const submitted = (main: FakeMain): unknown => [...main.asked('submitAll'), ...main.asked('submit')][0]

it('gives every dropped file its place at once, and waits with Swap until all are read', async () => {
  const { main, read } = await open({}, true)
  await drop(picture('new.jpg'), film('a.mp4'), film('b.mp4'), film('c.mp4'))
  expect(screen.getByText('1 face, 3 files')).toBeDefined()
  expect(screen.getAllByText('Reading 1 of 4').length).toBeGreaterThan(0)
  expect(swapButton().textContent).not.toContain('0')
  expect(swapButton().getAttribute('aria-disabled')).toBe('true')
  await fireEvent.keyDown(window, { key: 'Enter', code: 'Enter', ctrlKey: true })
  expect(submitted(main)).toBeUndefined()
  read()
  await screen.findByText(/^3 swaps, about /)
  expect(swapButton().getAttribute('aria-disabled')).toBe('false')
})

it.each([
  ['four faces into one video', ['a', 'b', 'c', 'd'].map(picture), [film('a.mp4')]],
  ['one face into four videos', [picture('a')], ['a', 'b', 'c', 'd'].map(film)],
])('puts %s by two drops, a click and a key, while the files are still read', async (_what, faces, videos) => {
  const { main, read } = await open({ confirmed: false }, true)
  await drop(...faces)
  await drop(...videos)
  read()
  await fireEvent.click(await screen.findByRole('checkbox', { name: /I may use/ }))
  await screen.findByRole('button', { name: /^Swap 4/ })
  await fireEvent.keyDown(window, { key: 'Enter', code: 'Enter', ctrlKey: true })
  const swaps = faces.flatMap(({ name: faceId }) => videos.map(({ name: videoId }) => ({ faceId, videoId })))
  await vi.waitFor(() => expect(submitted(main)).toMatchObject(swaps))
})

it('says so at once when a folder is searched', async () => {
  const { studio } = await open({}, true)
  void studio.intake.takeDropped([new File([], 'trip')], null)
  await tick()
  expect(screen.getByText('Still reading')).toBeDefined()
})

it('says that there is no face in a video when the search has ended, and does not swap', async () => {
  const { studio } = await open()
  await studio.intake.chooseFace()
  await studio.intake.take([{ kind: 'video', name: '', read: () => Promise.resolve(clip({ faces: [] })) }])
  expect((await screen.findAllByText('No face found in this video')).length).toBe(2)
  expect(swapButton().getAttribute('aria-disabled')).toBe('true')
  expect(screen.queryByText('No face found yet')).toBeNull()
})

it('says in the grid which files have no face when the search has ended, and does not swap into them', async () => {
  const { main, studio } = await open({ people: crew({ people: [], clips: [], scanned: 0.4 }) })
  const { batch, composer, intake } = studio
  const files = [
    clip({ id: 'good.mp4', name: 'good.mp4' }),
    clip({ id: 'empty.mp4', name: 'empty.mp4', faces: [] }),
    clip({ id: 'empty.jpg', name: 'empty.jpg', kind: 'picture', durationMs: null, faces: [] }),
  ]
  const takeAll = (targets: typeof files) =>
    intake.take(targets.map((target) => ({ kind: 'video', name: target.name, read: () => Promise.resolve(target) })))
  await intake.chooseFace()
  await takeAll(files)
  await screen.findByRole('button', { name: /^Swap 3/ })
  main.people = crew({ people: [], clips: [] })
  for (const { id } of files) main.peopleChanged.emit(main.peopleOf(id))
  await screen.findByRole('button', { name: /^Swap 1/ })
  const cell = screen.getByRole('checkbox', { name: / into empty.mp4/ })
  expect(cell.textContent).toContain('No face found in this video')
  expect(screen.getByRole('checkbox', { name: / into empty.jpg/ }).textContent).toContain(
    'No face found in this picture',
  )
  expect([cell.ariaChecked, cell.ariaDisabled]).toEqual(['false', 'true'])
  await fireEvent.click(cell)
  await fireEvent.click(screen.getByRole('button', { name: 'All' }))
  expect(screen.getByText('2 of 3 are switched off.')).toBeDefined()
  // One click on the face switches off what is on.
  await fireEvent.click(screen.getByRole('button', { name: /^Swaps of / }))
  expect(batch.pairs).toEqual([])
  await fireEvent.click(screen.getByRole('button', { name: /^Swaps of / }))
  studio.swaps.submitAll()
  await vi.waitFor(() => expect(submitted(main)).toMatchObject([{ videoId: 'good.mp4' }]))
  await takeAll(files.slice(1))
  expect(batch.missing).toBe('no-face')
  await screen.findByText('No face found in these files')
  expect(swapButton().getAttribute('aria-disabled')).toBe('true')
  // The search of the last one goes on under the rule of a single video.
  composer.contents.removeTarget('empty.mp4')
  await vi.waitFor(() => expect(screen.getAllByText('No face found in this picture').length).toBe(2))
  expect(composer.missing).toBe('no-face')
})

it('brings back the options of new swaps after one that was swapped again', async () => {
  const { main, studio } = await open()
  const { composer } = studio
  const changed = { ...defaultOptions, likeness: 10 }
  await composer.prefill(swap('s', 1, { options: changed }), ['face', 'video'])
  expect(composer.options.likeness).toBe(10)
  studio.swaps.submit()
  await vi.waitFor(() => expect(submitted(main)).toMatchObject({ options: changed }))
  await vi.waitFor(() => expect(composer.options).toEqual(defaultOptions))
  expect(main.settings.swapOptions.likeness).toBe(defaultOptions.likeness)
  // The same if everything of it was replaced.
  await composer.prefill(swap('s', 1, { options: changed }), ['face', 'video'])
  await studio.intake.takeDropped([picture('new.jpg'), film('new.mp4')], null)
  expect(composer.options).toEqual(defaultOptions)
})

it('moves the focus to the next thing to do when a file was chosen', async () => {
  await open({ confirmed: false })
  const choose = screen.getByRole('button', { name: 'Choose face…' })
  choose.focus()
  await fireEvent.click(choose)
  await screen.findByText('1 face found')
  const next = screen.getByRole('button', { name: 'Choose video…' })
  await vi.waitFor(() => expect(document.activeElement).toBe(next))
  await fireEvent.click(next)
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByRole('checkbox', { name: /I may use/ })))
})

it('leads to the key that is missing', async () => {
  const { studio } = await open({ profiles: [embedded, agency] })
  await chooseBoth(studio.intake)
  await studio.composer.runOn(agency.id)
  await fireEvent.click(await screen.findByRole('button', { name: 'Replace key…' }))
  expect(studio.routes.route).toMatchObject({ view: 'settings', profileId: agency.id })
})

it('drops the estimates for a method that was changed while they were asked for', async () => {
  const { studio } = await open()
  await drop(picture('a.jpg'), film('a.mp4'), film('b.mp4'))
  await screen.findByText(/^2 swaps, about /)
  const { promise: asked, resolve: answer } = Promise.withResolvers<undefined>()
  vi.spyOn(studio.bridge.intake, 'estimate').mockImplementation(async ({ model }) =>
    model ? (await asked, { ms: 600_000 }) : { ms: 60_000 },
  )
  studio.composer.options = { ...defaultOptions, method: 'f'.repeat(64) }
  const late = studio.batch.estimate()
  studio.composer.options = defaultOptions
  await studio.batch.estimate()
  answer(undefined)
  await late
  expect(studio.batch.estimateMs).toBe(120_000)
})
