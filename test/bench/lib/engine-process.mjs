/** @file A process with nothing but the engine in it, told what to do by lines of JSON; for benches and tests. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'vite'
import { outDir } from '../../../scripts/build.mjs'
import { electronFlags } from '../../../scripts/lib/app.mjs'
import { electron, root } from './harness.mjs'

const external = ['electron', 'keytar', 'pg-native']

/**
 * Builds a process's main.
 * @param {string} to
 * @param {string} [entry] from the root folder
 * @param {import('vite').Plugin[]} [plugins]
 * @returns {Promise<string>} its file
 */
export async function buildEngineMain(to, entry = 'test/bench/lib/engine-main.ts', plugins = []) {
  await build({
    plugins,
    configFile: false,
    logLevel: 'error',
    root,
    resolve: { alias: { '@shared': join(root, 'src/shared') } },
    define: { __MIEN_UPDATE_KEYS__: '[]' },
    ssr: { noExternal: true, external },
    build: {
      ssr: join(root, entry),
      outDir: to,
      emptyOutDir: true,
      rollupOptions: { external, output: { format: 'es', entryFileNames: 'main.mjs' } },
    },
  })
  return join(to, 'main.mjs')
}

/**
 * Starts a main that was built here, with the folders that it needs. In a group of its own, so that all of it can be
 * killed at once.
 * @param {string} main @param {NodeJS.ProcessEnv} [more] environment
 */
export function startMain(main, more = {}) {
  const env = { ...process.env, MIEN_BENCH_OUT: outDir, MIEN_BENCH_MODELS: join(root, 'resources/models'), ...more }
  const stderr = process.env['MIEN_BENCH_LOG'] ? 'inherit' : 'ignore'
  const child = spawn(electron, [...electronFlags(), main], { env, stdio: ['pipe', 'pipe', stderr], detached: true })
  // Killed while it is written to.
  child.stdin.on('error', () => undefined)
  return child
}

/** Ends every process of a group at once, as a power cut does. @param {number | undefined} pid of its first one */
export function killGroup(pid) {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

export class EngineProcess {
  /** @type {(progress: import('../../../src/shared/engine/engine.ts').EngineProgress) => void} */
  onProgress = () => undefined

  /** @param {string} main @param {NodeJS.ProcessEnv} [env] */
  constructor(main, env) {
    this.child = startMain(main, env)
    this.pid = this.child.pid ?? 0
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  /** Starts one and waits until it takes steps. @param {string} main @param {NodeJS.ProcessEnv} [env] */
  static async start(main, env) {
    const engine = new EngineProcess(main, env)
    await engine.next()
    return engine
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

  /** @param {object} step @returns {Promise<{ result: any, ms: number }>} @throws Error also when the process is gone */
  async ask(step) {
    const answer = await this.run(step)
    if (answer?.error || !answer) throw new Error(JSON.stringify(answer?.error ?? 'Electron ended early'))
    return answer
  }

  kill() {
    killGroup(this.pid)
  }

  async end() {
    await this.run({ kind: 'end', dir: '' })
    this.kill()
  }
}
