/** @file A process with nothing but the engine in it, told what to do by lines of JSON; for benches and tests. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'vite'
import { electronFlags } from '../../scripts/lib/app.mjs'

const root = join(import.meta.dirname, '../..')

/**
 * Builds a process's main.
 * @param {string} to
 * @param {string} [entry] of this folder
 * @param {import('vite').Plugin[]} [plugins]
 * @returns {Promise<string>} its file
 */
export async function buildEngineMain(to, entry = 'engine-main.ts', plugins = []) {
  await build({
    plugins,
    configFile: false,
    logLevel: 'error',
    root,
    resolve: { alias: { '@shared': join(root, 'src/shared') } },
    ssr: { noExternal: true, external: ['electron', 'keytar'] },
    build: {
      ssr: join(import.meta.dirname, entry),
      outDir: to,
      emptyOutDir: true,
      rollupOptions: { external: ['electron', 'keytar'], output: { format: 'es', entryFileNames: 'main.mjs' } },
    },
  })
  return join(to, 'main.mjs')
}

export class EngineProcess {
  /** @param {string} main @param {string} outDir the built app */
  constructor(main, outDir) {
    const env = {
      ...process.env,
      MIEN_BENCH_OUT: outDir,
      MIEN_BENCH_PAGE: '',
      MIEN_BENCH_MODELS: join(root, 'resources/models'),
    }
    const electron = process.env['MIEN_ELECTRON'] ?? ''
    // A group of its own, so that all of it can be killed at once.
    this.child = spawn(electron, [...electronFlags(), main], { env, stdio: ['pipe', 'pipe', 'ignore'], detached: true })
    this.pid = this.child.pid ?? 0
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
    // Killed while it is written to.
    this.child.stdin.on('error', () => undefined)
    /** @type {(progress: import('../../src/shared/engine/engine.ts').EngineProgress) => void} */
    this.onProgress = () => undefined
  }

  /** The next line that is no progress; null when the process is gone. */
  async next() {
    for (;;) {
      const { value } = await this.lines.next()
      if (value === undefined) return null
      const line = JSON.parse(value)
      if (!line.progress) return line
      this.onProgress(line.progress)
    }
  }

  /** @param {object} step @returns {Promise<any>} `result` or `error`; null when the process was killed meanwhile */
  run(step) {
    this.child.stdin.write(`${JSON.stringify(step)}\n`)
    return this.next()
  }

  /** Ends every process of it at once, as a power cut does. */
  kill() {
    try {
      process.kill(-this.pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }

  async end() {
    await this.run({ kind: 'end', dir: '' })
    this.kill()
  }
}
