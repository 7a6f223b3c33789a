import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import App from '../../../src/renderer/studio/App.svelte'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { FakeMain } from '../../fixtures/fake-bridge.ts'

vi.stubGlobal('matchMedia', () => ({ matches: false }))
HTMLElement.prototype.showPopover = () => undefined
HTMLElement.prototype.hidePopover = () => undefined
class NoResize {
  observe = (): void => undefined
  unobserve = (): void => undefined
  disconnect = (): void => undefined
}
vi.stubGlobal('ResizeObserver', NoResize)

async function open(): Promise<{ main: FakeMain; studio: Studio }> {
  const main = new FakeMain()
  const studio = new Studio(makeBridge(main.bridge))
  await studio.start()
  render(App, { studio })
  return { main, studio }
}

const picture = (name: string): File => new File(['x'], name, { type: 'image/jpeg' })
const video = (name: string): File => new File(['x'], name, { type: 'video/mp4' })
const drop = (label: string, files: File[]) =>
  fireEvent.drop(screen.getByRole('region', { name: label }), {
    dataTransfer: { files, types: ['Files'], items: [], getData: () => '' },
  })

it('says how many of several dropped files are used', async () => {
  const { studio } = await open()
  await drop('Video', [picture('a.jpg'), picture('b.jpg'), video('c.mp4'), video('d.mp4')])
  expect(await screen.findByText('2 of 4 files used')).toBeDefined()
  await vi.waitFor(() => {
    expect([studio.composer.face.state, studio.composer.video.state]).toEqual(['filled', 'filled'])
  })
})

it('adds a dropped model, and shows it in the settings', async () => {
  const { main, studio } = await open()
  await drop('Video', [new File(['x'], 'inswapper_128.ONNX')])
  await vi.waitFor(() => {
    expect(main.calls).toContainEqual({ method: 'drop', argument: 'inswapper_128.ONNX' })
  })
  expect(studio.routes.route).toEqual({ view: 'settings', section: 'models' })
  expect(studio.composer.video.state).toBe('empty')
})

it('takes a picture dropped on the right as what the face is swapped into', async () => {
  const { studio } = await open()
  await drop('Video', [picture('holiday.jpg')])
  await vi.waitFor(() => {
    expect(studio.composer.video.state).not.toBe('empty')
  })
  expect(studio.composer.face.state).toBe('empty')
})

it('says nothing about a file on its own slot', async () => {
  const { studio } = await open()
  await drop('Face', [picture('holiday.jpg')])
  await screen.findByText('1 face found')
  expect(studio.toasts.list).toEqual([])
})

it('takes the only picture and the only video of a dropped folder', async () => {
  const { main, studio } = await open()
  main.folder = { name: 'trip', pictures: 1, videos: 1 }
  await drop('Video', [new File([], 'trip')])
  await vi.waitFor(() => {
    expect([studio.composer.face.state, studio.composer.video.state]).toEqual(['filled', 'filled'])
  })
})

it('takes nothing from a folder with several, and says what is in it', async () => {
  const { main, studio } = await open()
  main.folder = { name: 'trip', pictures: 12, videos: 1 }
  await drop('Video', [new File([], 'trip')])
  expect(await screen.findByText('“trip” is a folder')).toBeDefined()
  expect(screen.getByText(/Pictures inside: 12. Videos inside: 1\./)).toBeDefined()
  expect(studio.composer.untouched).toBe(true)
})

it('says that nothing in the clipboard can be used', async () => {
  await open()
  await fireEvent.paste(document.body)
  expect(await screen.findByText('Nothing to paste')).toBeDefined()
})

it.each([
  [{ kind: 'file', mediaSlot: 'face', name: 'a.jpg' } as const, 'face'],
  [{ kind: 'file', mediaSlot: 'video', name: 'a.mp4' } as const, 'video'],
  [{ kind: 'picture' } as const, 'face'],
  [{ kind: 'address', url: 'https://a.example/b.mp4' } as const, 'video'],
])('puts what was copied, %j, where it belongs', async (content, mediaSlot) => {
  const { main, studio } = await open()
  main.clipboard = content
  await fireEvent.paste(document.body)
  await vi.waitFor(() => {
    expect(studio.composer[mediaSlot === 'face' ? 'face' : 'video'].state).toBe('filled')
  })
  expect(studio.toasts.list).toEqual([])
})
