import { fireEvent, screen, within } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import type { ModelView } from '@shared/engine/models.ts'
import { monaLisa } from '../../fixtures/fake-tasks.ts'
import { dropOn, film, openStudio, picture } from './open-studio.ts'

const drop = (label: string, files: File[]) => dropOn(screen.getByRole('region', { name: label }), files)

it('adds the models that it can of several that are dropped, and shows them in the settings', async () => {
  const { main, studio } = await openStudio()
  await drop('Video', [new File(['x'], 'bad.onnx'), new File(['x'], 'inswapper_128.ONNX')])
  await vi.waitFor(() => {
    expect(studio.toasts.list).toHaveLength(1)
    expect(main.asked('drop')).toContain('inswapper_128.ONNX')
  })
  expect(studio.routes.route).toEqual({ view: 'settings', section: 'models' })
  expect(studio.composer.video.state).toBe('empty')
})

it('says that a dropped file is no preset of Mien’s', async () => {
  const { studio } = await openStudio()
  await drop('Video', [new File(['x'], 'other.mien-preset')])
  await vi.waitFor(() => expect(studio.toasts.list[0]?.title).toContain('can’t be used as a preset'))
})

it('swaps in the built-in way when the chosen model is removed, and says so', async () => {
  const { main, studio } = await openStudio()
  const usable = { id: 'model-1', name: 'mine', isUsable: true } as ModelView
  main.modelsChanged.emit([usable])
  studio.composer.options = { ...studio.composer.options, method: 'model-1' }
  main.modelsChanged.emit([usable])
  expect([studio.composer.options.method, studio.toasts.list.length]).toEqual(['model-1', 0])
  main.modelsChanged.emit([])
  expect(studio.composer.options.method).toBeNull()
  expect(studio.toasts.list[0]).toMatchObject({ title: 'The chosen model can’t be used any more' })
})

it.each([
  ['Video', ['empty', 'filled']],
  ['Face', ['filled', 'empty']],
])('takes a picture into the slot where it is dropped, %s, and says nothing', async (label, states) => {
  const { studio } = await openStudio()
  await drop(label, [picture('holiday.jpg')])
  await vi.waitFor(() => expect([studio.composer.face.state, studio.composer.video.state]).toEqual(states))
  expect(studio.toasts.list).toEqual([])
})

it('takes the face of a video that is dropped on the face, or swaps in it instead', async () => {
  const { studio } = await openStudio()
  await drop('Face', [film('selfie.mp4')])
  await screen.findByText('1 face found')
  expect(studio.composer.video.state).toBe('empty')
  await screen.findByText('The face comes from “selfie.mp4”')
  studio.toasts.list[0]?.action?.run()
  await vi.waitFor(() => expect(studio.composer.video.state).toBe('filled'))
  expect(studio.composer.face.state).toBe('empty')
})

it('offers the people in a video, and takes the face of the one who is chosen', async () => {
  const faces = ['anna.jpg', 'ben.jpg'].map((id) => ({ ...monaLisa(1), id, name: id }))
  const { main, studio } = await openStudio({ faces })
  main.inVideo = [0, 1].map((at) => ({ token: `person-${String(at)}`, pictureId: `view-${String(at)}.jpg` }))
  await drop('Face', [film('two.mp4')])
  const ben = await screen.findByRole('button', { name: 'Use the face of person 2' })
  expect(ben.getAttribute('aria-pressed')).toBe('false')
  await fireEvent.click(ben)
  await vi.waitFor(() => expect(studio.composer.face).toMatchObject({ media: { id: 'ben.jpg' } }))
  expect(ben.getAttribute('aria-pressed')).toBe('true')
  await fireEvent.click(screen.getByRole('button', { name: 'Use the face of person 1' }))
  await vi.waitFor(() => expect(studio.composer.face).toMatchObject({ media: { id: 'mona-lisa.jpg' } }))
})

const found = (count: number, mediaSlot: 'face' | 'video') =>
  Array.from({ length: count }, (_, at) => {
    const token = `${mediaSlot}-${String(at + 1)}`
    return { token, name: token, mediaSlot }
  })

const chooseFiles = () => fireEvent.keyDown(document.body, { key: 'o', code: 'KeyO', ctrlKey: true })
it.each<[string, () => Promise<unknown>]>([
  ['a video and a picture that are dropped on the face', () => drop('Face', [film('clip.mp4'), picture('a.jpg')])],
  ['the only picture and the only video of a dropped folder', () => drop('Video', [new File([], 'trip')])],
  ['several files that Ctrl O chooses', chooseFiles],
])('takes %s, each into the slot of its kind', async (_what, take) => {
  const { main, studio } = await openStudio()
  main.found = [...found(1, 'video'), ...found(1, 'face')]
  await take()
  await vi.waitFor(() =>
    expect([studio.composer.face.state, studio.composer.video.state]).toEqual(['filled', 'filled']),
  )
  expect([studio.toasts.list, studio.composer.isGrid]).toEqual([[], false])
})

it('asks by Ctrl O for files of both kinds, whatever has the focus', async () => {
  const { studio } = await openStudio()
  const asked = vi.spyOn(studio.bridge.intake, 'chooseFiles')
  for (const slot of ['Face', 'Video']) {
    within(screen.getByRole('region', { name: slot }))
      .getAllByRole('button')[0]
      ?.focus()
    await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'o', code: 'KeyO', ctrlKey: true })
  }
  expect(asked.mock.calls).toEqual(Array(2).fill([{ mediaSlot: null, several: true }]))
})

/** Drops a folder with two faces and so many videos. */
async function dropFolder(videos: number, unusable: string[] = []) {
  const { main, studio } = await openStudio()
  main.found = [...found(2, 'face'), ...found(videos, 'video')]
  main.notFound = unusable
  await drop('Video', [new File([], 'trip')])
  await screen.findByText(`2 faces, ${String(videos)} files`)
  await vi.waitFor(() => expect(studio.composer.contents.reading).toBeNull())
  return { main, studio }
}

it('puts each of several faces into each of several videos, and adds all swaps at once', async () => {
  const { main, studio } = await dropFolder(3, ['notes.txt'])
  expect(screen.getByText('1 file can’t be used')).toBeDefined()
  expect(screen.getByText('notes.txt')).toBeDefined()
  expect(screen.getAllByRole('checkbox', { name: /into/ })).toHaveLength(6)
  await fireEvent.click(screen.getByRole('checkbox', { name: /Face 2 into video-1/ }))
  await screen.findByText('1 of 6 are switched off.')
  // A row is switched on again when only some of it is on.
  await fireEvent.click(screen.getByRole('button', { name: 'Swaps of Face 2' }))
  await screen.findByText('Every face goes into every file.')
  await fireEvent.click(screen.getByRole('button', { name: /Swaps into video-3/ }))
  await fireEvent.click(screen.getByRole('checkbox', { name: /I may use/ }))
  await screen.findByText(/^4 swaps, about /)
  await fireEvent.click(screen.getByRole('button', { name: /^Swap 4/ }))
  await screen.findByText('4 swaps added')
  expect(main.asked('submitAll')[0]).toMatchObject([
    { faceId: 'face-face-1', videoId: 'video-video-1', title: 'Video 1, Face 1' },
    { faceId: 'face-face-1', videoId: 'video-video-2' },
    { faceId: 'face-face-2', videoId: 'video-video-1' },
    { faceId: 'face-face-2', videoId: 'video-video-2' },
  ])
  expect([studio.composer.isGrid, studio.composer.video.state]).toEqual([false, 'empty'])
  expect(studio.composer.faces.list).toHaveLength(2)
})

it('says how long all swaps take, also into a video that is pasted into the grid', async () => {
  const { main } = await dropFolder(2)
  await fireEvent.click(screen.getByRole('checkbox', { name: /I may use/ }))
  await screen.findByText(/^4 swaps, about /)
  main.clipboard = { kind: 'file', token: 'third', mediaSlot: 'video', name: 'third.mp4' }
  await fireEvent.paste(document.body)
  await screen.findByText(/^6 swaps, about /)
})

it.each([
  ['Face', ['image/jpeg'], ['face']],
  ['Face', ['video/mp4'], ['face']],
  ['Video', ['image/jpeg'], ['video']],
  ['Video', ['image/jpeg', 'video/mp4'], ['face', 'video']],
  // What is in the folder isn't known yet.
  ['Face', ['video/mp4', ''], ['video']],
  ['Video', ['image/jpeg', ''], ['face']],
  ['Video', [''], ['video']],
])('shows over %s where files of the types %j would go: %j', async (label, types, slots) => {
  const { studio } = await openStudio()
  const items = types.map((type) => ({ kind: 'file', type }))
  await fireEvent.dragOver(screen.getByRole('region', { name: label }), { dataTransfer: { types: ['Files'], items } })
  expect([...studio.intake.over]).toEqual(slots)
})

it('names the swaps by a template that is still being typed', async () => {
  const { main } = await dropFolder(2)
  await fireEvent.click(screen.getByRole('checkbox', { name: /I may use/ }))
  await screen.findByText(/^4 swaps, about /)
  const titles = screen.getByRole('textbox', { name: 'Titles' })
  await fireEvent.input(titles, { target: { value: '{n} {face}' } })
  await fireEvent.keyDown(titles, { key: 'Enter', code: 'Enter', ctrlKey: true })
  await screen.findByText('4 swaps added')
  expect(main.asked('submitAll')[0]).toMatchObject([{ title: '1 Face 1' }, {}, { title: '3 Face 2' }, {}])
})

it('says that nothing in the clipboard can be used', async () => {
  await openStudio()
  await fireEvent.paste(document.body)
  expect(await screen.findByText('Nothing to paste')).toBeDefined()
})

it.each([
  [{ kind: 'file', token: 'a', mediaSlot: 'face', name: 'a.jpg' } as const, 'face'],
  [{ kind: 'file', token: 'a', mediaSlot: 'video', name: 'a.mp4' } as const, 'video'],
  [{ kind: 'address', url: 'https://a.example/b.mp4' } as const, 'video'],
])('puts what was copied, %j, where it belongs', async (content, mediaSlot) => {
  const { main, studio } = await openStudio()
  main.clipboard = content
  await fireEvent.paste(document.body)
  await vi.waitFor(() => expect(studio.composer[mediaSlot === 'face' ? 'face' : 'video'].state).toBe('filled'))
  expect(studio.toasts.list).toEqual([])
})
