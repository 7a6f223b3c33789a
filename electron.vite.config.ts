import { readFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'

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
  (JSON.parse(readFileSync(at('./src/main/app/updates/public-keys.json'), 'utf8')) as unknown)

/** A third of the size, and decompressed in less than 100 ms when it is needed. */
const brotli = (bytes: Uint8Array): Buffer =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 7, [constants.BROTLI_PARAM_LGWIN]: 24 } })

/** Adds the WebAssembly of content credentials to main, which its bundler doesn't take along. */
const credentialsWasm: Plugin = {
  name: 'credentials-wasm',
  generateBundle() {
    const source = brotli(readFileSync(at('./node_modules/@contentauth/c2pa-wasm/pkg/c2pa_bg.wasm')))
    this.emitFile({ type: 'asset', fileName: 'c2pa.wasm.br', source })
  },
}

/**
 * Leaves out what Mien doesn't use and every start would load: of electron-store the schemas (settings are checked with
 * zod), of electron-log what sends logs.
 */
const unused: Plugin = {
  name: 'unused',
  enforce: 'pre',
  resolveId: (id, importer) =>
    /^ajv(-formats)?(\/|$)/.test(id)
      ? '\0no-schemas'
      : id === './transports/remote' && importer?.includes('electron-log')
        ? '\0no-sending'
        : null,
  load: (id) =>
    id === '\0no-schemas'
      ? 'export const Ajv2020 = undefined\nexport default undefined'
      : id === '\0no-sending'
        ? 'module.exports = () => Object.assign(() => undefined, { level: false, transforms: [] })'
        : null,
}

/** Compresses the runtime for models of the user's, which most people never need. */
const compressedRuntime: Plugin = {
  name: 'compressed-runtime',
  enforce: 'post',
  generateBundle(_options, bundle) {
    for (const [name, file] of Object.entries(bundle)) {
      if (file.type !== 'asset' || !/ort-wasm[^/]*\.wasm$/.test(name) || typeof file.source === 'string') continue
      this.emitFile({ type: 'asset', fileName: `${name}.br`, source: brotli(file.source) })
      Reflect.deleteProperty(bundle, name)
    }
  },
}

/** Names of functions stay, for stack traces in logs. */
const minify = { compress: true, mangle: { keepNames: { function: true, class: true } }, codegen: true } as const

export default defineConfig({
  main: {
    plugins: [credentialsWasm, unused],
    resolve: { alias },
    define: { __MIEN_UPDATE_KEYS__: JSON.stringify(updateKeys) },
    build: {
      outDir: `${out}/main`,
      // Bundle everything except native modules, so that a package contains no unused code.
      externalizeDeps: {
        exclude: [
          '@contentauth/c2pa-wasm',
          '@hono/node-server',
          '@peculiar/x509',
          'aws4fetch',
          'csv-parse',
          'dns-packet',
          'electron-log',
          'electron-store',
          'electron-updater',
          'fflate',
          'hono',
          'ky',
          'pg',
          'pg-boss',
          'reflect-metadata',
          'semver',
          'uqr',
          'zod',
        ],
      },
      rolldownOptions: {
        input: { index: at('./src/main/index.ts'), 'credentials-worker': at('./src/main/provenance/worker.ts') },
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
    plugins: [svelte({ configFile: false }), compressedRuntime],
    worker: { format: 'es', plugins: () => [compressedRuntime], rolldownOptions: { output: { minify } } },
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
