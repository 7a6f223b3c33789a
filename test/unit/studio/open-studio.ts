// At once: what still loads when a file ends fails in the next one, which shares the process.
import '../../../src/renderer/studio/views/settings/SettingsPage.svelte'
import '../../../src/renderer/studio/views/task/TaskPage.svelte'
import { render, type RenderResult } from '@testing-library/svelte'
import type { Component } from 'svelte'
import App from '../../../src/renderer/studio/App.svelte'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
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

/** The same, and its window. */
export async function openStudio(start: FakeStart | FakeMain = {}): Promise<{ main: FakeMain; studio: Studio }> {
  const started = await startStudio(start)
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
