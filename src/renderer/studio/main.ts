/** @file Starts the studio: the bridge, what main knows, then the first view. */
import { mount } from 'svelte'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/media.css'
import './styles/forced-colors.css'
import App from './App.svelte'
import { makeBridge } from './bridge.ts'
import { Studio } from './state/studio.svelte.ts'

const studio = new Studio(makeBridge(window.mien))

// One frame with everything in it is better than three that fill up: the answers take a few milliseconds.
studio
  .start()
  .catch((error: unknown) => {
    console.error('The studio could not load everything it shows', error)
  })
  .finally(() => {
    mount(App, { target: document.body, props: { studio } })
  })
