/** @file Builds main, the preloads and the engine's pages, and again whenever one of their files changes. */
import { build } from 'vite'
import { inRoot } from '../lib/run.mjs'

/** One change may concern several builds, which do not begin at the same moment. */
const settleMs = 150

/**
 * Builds until the process ends. Vite tells on the terminal why a build failed.
 * @param {import('electron-vite').UserConfig} config with `build.watch`
 * @param {object} events
 * @param {(names: string) => void} events.onBuilt everything is built; what of it is new
 * @param {(name: string) => void} events.onBroken
 */
export async function watchBuilds({ main, preload, renderer }, { onBuilt, onBroken }) {
  const input = { engine: inRoot('src', 'renderer', 'engine', 'index.html') }
  const engine = { ...renderer, build: { ...renderer?.build, rolldownOptions: { input } } }
  const configs = Object.entries({ main, preload, engine })
  const unfinished = new Set(configs.map(([name]) => name))
  /** @type {Set<string>} */
  const fresh = new Set()
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  for (const [name, each] of configs) {
    const watcher = await build({ ...each, configFile: false })
    if (!('on' in watcher)) throw new Error('Vite does not watch')
    watcher.on('event', ({ code }) => {
      if (code === 'BUNDLE_START') unfinished.add(name)
      if (code === 'BUNDLE_END') {
        unfinished.delete(name)
        fresh.add(name)
      }
      if (code === 'ERROR') onBroken(name)
      clearTimeout(timer)
      timer = setTimeout(() => {
        if (unfinished.size > 0 || fresh.size === 0) return
        onBuilt([...fresh].join(' and '))
        fresh.clear()
      }, settleMs)
    })
  }
}
