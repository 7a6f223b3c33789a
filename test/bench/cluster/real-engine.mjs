/** @file The part of the cluster bench with the real engine: `mien worker`, as on a bare server. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import { setTimeout as wait } from 'node:timers/promises'
import { appFolder } from '../../../scripts/build.mjs'
import { electronFlags } from '../../../scripts/lib/app.mjs'
import { clips, sample } from '../../fixtures/clip.ts'
import { mediaFacts } from '../../fixtures/media-facts.ts'
import { electron, run, say } from '../lib/harness.mjs'
import { cpuOf, isRunning, treeOf } from '../lib/process-tree.mjs'

class RealWorker {
  /** @param {NodeJS.ProcessEnv} environment names the database and the storage @param {string} dir */
  constructor(environment, dir) {
    mkdirSync(dir, { recursive: true })
    const args = ['--cli', '--cwd', dir, 'worker', '--data-dir', 'data', '--json']
    const env = { ...process.env, ...environment, DISPLAY: undefined, WAYLAND_DISPLAY: undefined }
    this.child = spawn(electron, [...electronFlags(), appFolder, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.pid = this.child.pid ?? 0
    /** Id of the swap that it makes, or made last. @type {string | null} */
    this.swap = null
    createInterface({ input: this.child.stderr }).on('line', (line) => {
      this.swap = /swap ([\w-]+), lease \d+: begins/.exec(line)?.[1] ?? this.swap
    })
    const { promise, resolve, reject } = Promise.withResolvers()
    this.ready = promise
    createInterface({ input: this.child.stdout }).on('line', resolve)
    this.child.on('exit', () => {
      reject(new Error('a worker ended'))
    })
    promise.catch(() => undefined)
  }

  /** As a crash does. */
  async kill() {
    const tree = treeOf(this.pid)
    for (const pid of tree) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    while (tree.some(isRunning)) await wait(20)
  }
}

/** A clip of the sample in another height, with its length in seconds. @param {string} dir @param {number} height */
function clipOf(dir, height) {
  const [path, frames] = [join(dir, `${String(height)}.mp4`), height > 720 ? 100 : 250]
  const scale = ['-vf', `scale=-2:${String(height)}`, '-frames:v', String(frames), '-an']
  run('ffmpeg', '-v', 'error', '-i', sample.video, ...scale, path)
  return { path, seconds: frames / 25 }
}

/**
 * Two workers make eight swaps of twelve seconds, and one of them is killed in the middle of a swap. Then each makes
 * swaps of several sizes, for the processor time that they take.
 * @param {{ cluster: any, postgres: any, environment: NodeJS.ProcessEnv, dir: string }} given
 */
export async function realEngine({ cluster, postgres, environment, dir }) {
  mkdirSync(dir, { recursive: true })
  const count = 8
  let started = 0
  const start = () => new RealWorker(environment, join(dir, `worker-${String((started += 1))}`))
  const creator = await cluster.client.newCreator(1)
  const face = await creator.upload('face.jpg', readFileSync(sample.face))
  /** @param {string} path @returns {Promise<string>} */
  const upload = (path) => creator.upload('clip.mp4', readFileSync(path))
  /** @param {string} id */
  const factsOf = async (id) => {
    // A server shows a result when it has checked it.
    while ((await creator.list([id]))[0]?.status !== 'completed') await wait(200)
    const path = join(dir, `${id}.mp4`)
    writeFileSync(path, await creator.result(id))
    return mediaFacts(path)
  }
  /** @param {string} sql @returns {Promise<string>} */
  const ask = (sql) => postgres.query(sql, cluster.database)
  const twelve = await upload(clips.twelveSeconds)
  const workers = [start()]
  try {
    await workers[0]?.ready
    const undisturbed = await creator.create('undisturbed', face, twelve)
    await cluster.completed(1)
    const expected = await factsOf(undisturbed)
    say('an undisturbed swap is made')

    workers.push(start())
    await Promise.all(workers.map(({ ready }) => ready))
    /** @type {string[]} */
    const ids = []
    for (let number = 0; number < count; number += 1)
      ids.push(await creator.create(`swap ${String(number)}`, face, twelve))
    let followed = ''
    while (followed === '') {
      await wait(100)
      followed = await ask(
        `SELECT min(s.object_id) FROM swaps s JOIN swap_files f ON f.object_id = s.object_id
           WHERE s.status = 'processing' AND f.name LIKE 'work/segment-%.json'`,
      )
    }
    const at = workers.findIndex(({ swap }) => swap === followed)
    await workers[at]?.kill()
    workers[at] = start()
    say('a worker is killed')
    await cluster.completed(1 + count)
    const results = await Promise.all(ids.map(factsOf))
    const other = results.filter((facts) => !isDeepStrictEqual(facts, expected)).length
    const [attempt = '', result = ''] = (
      await ask(`SELECT attempt, result FROM swaps WHERE object_id = '${followed}'`)
    ).split('|')
    /** @type {{ stages: { keptFrames?: number } }} */
    const { stages } = JSON.parse(result)

    /** @type {Record<string, { cpuSeconds: number, anHourACore: number }>} */
    const sizes = {}
    let made = 1 + count
    for (const height of [360, 720, 1080]) {
      const { path, seconds } = clipOf(dir, height)
      const video = await upload(path)
      const before = workers.reduce((sum, { pid }) => sum + cpuOf(pid), 0)
      const each = 4
      for (let number = 0; number < each; number += 1) await creator.create(`of ${String(height)}`, face, video)
      await cluster.completed((made += each))
      const used = workers.reduce((sum, { pid }) => sum + cpuOf(pid), 0) - before
      // Of ten seconds of video.
      const cpuSeconds = (used / each) * (10 / seconds)
      sizes[`${String(height)}p`] = { cpuSeconds, anHourACore: 3600 / cpuSeconds }
      say(`${String(height)}p: ${cpuSeconds.toFixed(1)} s of processor time for ten seconds`)
    }
    return { swaps: count, other, leases: Number(attempt), keptFrames: stages.keptFrames ?? 0, sizes }
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
}
