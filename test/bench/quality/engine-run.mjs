/** @file Swaps with the engine as it is, or with parts of it turned off (see `ablation.ts`), in Electron. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { outDir } from '../../../scripts/build.mjs'
import { buildEngineMain, EngineProcess } from '../lib/engine-process.mjs'
import { root } from '../lib/harness.mjs'

/** An encoder that loses next to nothing, so that what the swap itself did to a pixel can be seen. @param {string} code */
function finely(code) {
  const fine = code.replace('Quality({ bitrate,', 'Quality({ bitrate: Math.min(240e6, bitrate * 16),')
  if (fine === code) throw new Error('segment-encoder.ts no longer says its bitrate where this benchmark looks for it')
  return fine
}

/**
 * Builds the engine with these parts on or off.
 * @param {string} made @param {string} name @param {{ fine?: boolean, render?: boolean, smooth?: boolean, feather?: boolean }} ablation
 */
export async function buildEngine(made, name, { fine = false, ...ablation }) {
  const swapAblation = {
    name: 'ablation',
    /** @param {string} code @param {string} id */
    transform(code, id) {
      if (id.endsWith('/encode/segment-encoder.ts') && fine) return finely(code)
      if (!id.endsWith('/engine/common/ablation.ts')) return null
      return `export const ablation = ${JSON.stringify({ render: true, smooth: true, feather: true, ...ablation })}`
    },
  }
  const out = join(made, name)
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '@shared': join(root, 'src/shared') } },
    root: join(root, 'src/renderer'),
    plugins: [{ ...swapAblation, enforce: /** @type {const} */ ('pre') }],
    worker: { format: 'es', plugins: () => [{ ...swapAblation, enforce: /** @type {const} */ ('pre') }] },
    build: {
      outDir: join(out, 'renderer'),
      emptyOutDir: true,
      rolldownOptions: { input: { engine: join(root, 'src/renderer/engine/index.html') } },
    },
  })
  mkdirSync(join(out, 'preload'), { recursive: true })
  copyFileSync(join(outDir, 'preload/engine.cjs'), join(out, 'preload/engine.cjs'))
  return out
}

/** Starts one. @param {string} made folder for what is built @param {string} built as `buildEngine` returned it */
export const startEngine = async (made, built) =>
  EngineProcess.start(await buildEngineMain(join(made, 'main')), { MIEN_BENCH_OUT: built })

/** @param {EngineProcess} engine @param {string} face @param {string} video @param {string} dir @returns {Promise<string>} the result's path */
export async function swapTo(engine, face, video, dir) {
  await engine.ask({ kind: 'swap', face, video, dir })
  return join(dir, 'output.mp4')
}
