/** @file Swaps with the engine as it is, or with parts of it turned off (see `ablation.ts`), in Electron. */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'vite'
import { electronFlags } from '../../../scripts/lib/app.mjs'
import { outDir } from '../../../scripts/build.mjs'

const root = join(import.meta.dirname, '../../..')
const shared = {
  configFile: /** @type {const} */ (false),
  logLevel: /** @type {const} */ ('error'),
  resolve: { alias: { '@shared': join(root, 'src/shared') } },
}

/** Builds the bench's own Electron main. @param {string} made folder for what is built */
export async function buildMain(made) {
  await build({
    ...shared,
    root,
    ssr: { noExternal: true, external: ['electron'] },
    build: {
      ssr: join(root, 'test/bench/engine-main.ts'),
      outDir: join(made, 'main'),
      emptyOutDir: true,
      rollupOptions: { external: ['electron'], output: { format: 'es', entryFileNames: 'main.mjs' } },
    },
  })
}

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
    ...shared,
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

/** Runs swaps one after the other. */
export class Engine {
  #child
  #lines

  /** @param {string} made @param {string} built as `buildEngine` returned it */
  constructor(made, built) {
    const env = { ...process.env, MIEN_BENCH_OUT: built, MIEN_BENCH_MODELS: join(root, 'resources/models') }
    const electron = process.env['MIEN_ELECTRON'] ?? ''
    this.#child = spawn(electron, [...electronFlags(), join(made, 'main/main.mjs')], {
      env,
      stdio: ['pipe', 'pipe', process.env['MIEN_BENCH_LOG'] ? 'inherit' : 'ignore'],
    })
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  /** @param {string} face @param {string} video @param {string} dir where `output.mp4` goes */
  async swap(face, video, dir) {
    await this.#ready()
    this.#child.stdin.write(`${JSON.stringify({ kind: 'swap', face, video, dir })}\n`)
    const answer = await this.#next()
    if (answer.error) throw new Error(`${video}: ${JSON.stringify(answer.error)}`)
    return { output: join(dir, 'output.mp4'), ...answer.result }
  }

  /** @type {Promise<unknown> | null} */
  #started = null
  #ready() {
    return (this.#started ??= this.#next())
  }

  async #next() {
    const { value } = await this.#lines.next()
    if (value === undefined) throw new Error('Electron ended early')
    return JSON.parse(value)
  }

  async end() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.stdin.write(`${JSON.stringify({ kind: 'end', dir: join(import.meta.dirname, '.') })}\n`)
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 3000)
    await ended
    clearTimeout(timer)
  }
}
