import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'electron-vite'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const alias = { '@shared': at('./src/shared') }

/** Build output folder. A second build for tests or benchmarks sets MIEN_OUT. */
const out = process.env['MIEN_OUT'] ?? 'out'

/**
 * Public keys that verify updates. Test builds have their own. The keys are compiled into the code, so a packaged app
 * can't be given others.
 */
const updateKeys =
  process.env['MIEN_BUILD_UPDATE_KEYS']?.split(',') ??
  (JSON.parse(readFileSync(at('./src/main/updates/public-keys.json'), 'utf8')) as unknown)

/** Names stay, for stack traces in logs. */
const minify = { compress: true, mangle: false, codegen: true } as const

export default defineConfig({
  main: {
    resolve: { alias },
    define: { __MIEN_UPDATE_KEYS__: JSON.stringify(updateKeys) },
    build: {
      outDir: `${out}/main`,
      // Bundle everything except native modules, so that a package contains no unused code.
      externalizeDeps: {
        exclude: [
          '@hono/node-server',
          'aws4fetch',
          'csv-parse',
          'electron-log',
          'electron-store',
          'electron-updater',
          'fflate',
          'hono',
          'ky',
          'semver',
          'zod',
        ],
      },
      rolldownOptions: {
        input: at('./src/main/index.ts'),
        output: { format: 'es', minify, chunkFileNames: 'chunks/[name].js' },
      },
    },
  },
  preload: {
    resolve: { alias },
    build: {
      outDir: `${out}/preload`,
      rolldownOptions: {
        input: { studio: at('./src/preload/studio-bridge.ts'), engine: at('./src/preload/engine-bridge.ts') },
        // Electron loads a sandboxed preload as CommonJS, regardless of "type" in package.json.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('./src/renderer'),
    resolve: {
      alias: {
        ...alias,
        // The build that loads its WebAssembly from the URLs that it is given. The other one would be bundled with it.
        'onnxruntime-web/jspi': at('./node_modules/onnxruntime-web/dist/ort.jspi.min.mjs'),
      },
    },
    plugins: [svelte({ configFile: false })],
    worker: { format: 'es' },
    build: {
      outDir: `${out}/renderer`,
      rolldownOptions: {
        input: {
          studio: at('./src/renderer/studio/index.html'),
          engine: at('./src/renderer/engine/index.html'),
        },
        output: { minify },
      },
    },
  },
})
