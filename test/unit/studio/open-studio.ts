// At once: what still loads when a file ends fails in the next one, which shares the process.
import '../../../src/renderer/studio/views/settings/SettingsPage.svelte'
import '../../../src/renderer/studio/views/task/TaskPage.svelte'
import { fireEvent, render, screen, type RenderResult } from '@testing-library/svelte'
import type { Component } from 'svelte'
import App from '../../../src/renderer/studio/App.svelte'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import type { Intake } from '../../../src/renderer/studio/state/intake.svelte.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { FakeMain, type FakeStart } from '../../fixtures/fake-bridge.ts'
import WithStudio from '../../fixtures/WithStudio.svelte'

/** The studio's state, started against a main that begins so, or that was prepared. Nothing is on the page. */
export async function startStudio(start: FakeStart | FakeMain = {}): Promise<{ main: FakeMain; studio: Studio }> {
  const main = start instanceof FakeMain ? start : new FakeMain(start)
  const studio = new Studio(makeBridge(main.bridge))
  await studio.start()
  return { main, studio }
}

/** Chooses what the fake main has as a face and as a video. */
export async function chooseBoth(intake: Intake): Promise<void> {
  await intake.chooseFace()
  await intake.chooseVideo()
}

/** The studio's state, with a face and a video in the composer. */
export async function startFilled(start: FakeStart | FakeMain = {}): Promise<{ main: FakeMain; studio: Studio }> {
  const started = await startStudio(start)
  await chooseBoth(started.studio.intake)
  return started
}

/** The studio's state as `startStudio` has it, and its window, after its first frame or before. */
export async function openStudio(
  start: FakeStart | FakeMain = {},
  isPainted = true,
): Promise<{ main: FakeMain; studio: Studio }> {
  const started = await startStudio(start)
  started.studio.isPainted = isPainted
  render(App, { studio: started.studio })
  return started
}

/** Renders a part of the window alone. */
export const renderIn = <P extends object>(
  studio: Studio,
  component: Component<P>,
  passed: P,
): RenderResult<typeof WithStudio> =>
  // It passes the props on as they are.
  render(WithStudio, { studio, component: component as Component, passed })

export const picture = (name: string): File => new File(['x'], name, { type: 'image/jpeg' })
export const film = (name: string): File => new File(['x'], name, { type: 'video/mp4' })
/** Drops files on a part of the window. */
export const dropOn = (place: Element, files: readonly File[]): Promise<boolean> =>
  fireEvent.drop(place, { dataTransfer: { files, types: ['Files'], items: [], getData: () => '' } })

/** Types into a field, and submits its form. */
export async function submitText(label: string, value: string): Promise<void> {
  await fireEvent.input(screen.getByLabelText(label), { target: { value } })
  await fireEvent.submit(screen.getByLabelText(label))
}
