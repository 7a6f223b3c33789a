/** @file Starts the studio: creates the bridge, loads the state from main, then mounts the first view. */
import { mount } from 'svelte'
import '@fontsource-variable/inter/wght.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/media.css'
import './styles/forced-colors.css'
import App from './App.svelte'
import { makeBridge } from './bridge.ts'
import { Studio } from './state/studio.svelte.ts'

const studio = new Studio(makeBridge(window.mien))

const painted = new Promise<void>((resolve) => {
  new PerformanceObserver((entries) => {
    if (entries.getEntriesByName('first-contentful-paint').length > 0) resolve()
  }).observe({ type: 'paint', buffered: true })
  // If it's never reported.
  setTimeout(resolve, 3000)
})
void painted.then(() => {
  void studio.bridge.app.painted()
  studio.isPainted = true
})

// Wait for the data and the font before mounting: it takes a few milliseconds and avoids several partly filled frames.
void Promise.allSettled([
  studio.start().catch((error: unknown) => console.error('The studio could not load everything it shows', error)),
  document.fonts.load("13px 'Inter Variable'"),
]).then(() => {
  mount(App, { target: document.body, props: { studio } })
  void studio.bridge.app.drawn()
})
