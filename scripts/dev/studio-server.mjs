/** @file Vite's dev server for the studio's pages. Mien fetches from it; only its websocket is for the page itself. */
import { realpathSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { join } from 'node:path'
import { createServer } from 'vite'
import { outDir } from '../build.mjs'
import { inRoot } from '../lib/run.mjs'

const host = '127.0.0.1'
const texts = inRoot('src', 'shared', 'i18n', 'messages')

/**
 * Takes away the message about a mistake that was undone. Vite does so with the next update, and the Svelte plugin sends
 * none for a component that is again as it was.
 * @type {import('vite').Plugin}
 */
const clearOverlay = {
  name: 'mien-clear-overlay',
  enforce: 'post',
  hotUpdate: {
    order: 'post',
    handler({ file, modules }) {
      if (file.endsWith('.svelte') && modules.length === 0) this.environment.hot.send({ type: 'update', updates: [] })
    },
  },
}

/**
 * Serves the studio on a free port of this computer, until the process ends.
 * @param {import('electron-vite').RendererViteConfig} config
 * @returns {Promise<{ address: string, onTexts: (listen: () => void) => void }>} `onTexts`: a language's texts changed
 */
export async function serveStudio(config) {
  const http = createHttpServer()
  await new Promise((resolve, reject) => http.on('error', reject).listen(0, host, () => resolve(undefined)))
  const address = http.address()
  if (address === null || typeof address === 'string') throw new Error('The dev server has no port')
  const vite = await createServer({
    ...config,
    logLevel: 'info',
    plugins: [...(config.plugins ?? []), clearOverlay],
    appType: 'mpa',
    cacheDir: join(outDir, 'vite'),
    // Not the engine's, which is built. Views that are loaded later are named, or their modules would reload the page.
    optimizeDeps: { entries: ['studio/index.html', 'studio/**/*.svelte'] },
    server: {
      middlewareMode: true,
      // The page's own address is app://studio, which tells it nothing about where the websocket is.
      ws: { server: http, protocol: 'ws', host, clientPort: address.port },
      // node_modules may be a link.
      fs: { allow: [inRoot(), realpathSync(inRoot('node_modules'))] },
      // An editor empties a file before it writes it anew; a component that was read between would vanish.
      watch: { awaitWriteFinish: { stabilityThreshold: 100, pollInterval: 20 } },
      warmup: { clientFiles: ['./studio/main.ts'] },
    },
  })
  http.on('request', vite.middlewares)
  vite.watcher.add(texts)
  return {
    address: `http://${host}:${address.port}`,
    onTexts: (listen) => {
      vite.watcher.on('change', (path) => {
        if (path.startsWith(texts)) listen()
      })
    },
  }
}
