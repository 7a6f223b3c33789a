/**
 * @file Kills a swap at instants of every kind, goes on, and compares what is kept in the end with an undisturbed one: every
 * frame's time and packet, every audio packet. Killed are the engine's process and the whole app; the power is cut (what
 * was not synced is lost, or a part of it) and the disk is really full (a small tmpfs, where one can be mounted).
 * `--kills N` (100), `--video FILE`, or one made by ffmpeg of `--seconds N` (12) with `--fps N` (25), `--minutes N` after which no further kill is begun, `--seed S`.
 * `--method model` swaps by a small model with inswapper's inputs and a recogniser; what it ran on has to be equal too.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { buildEngineMain } from './lib/engine-process.mjs'
import { Client, cutPower, fillDisk, KilledApp } from './lib/killed-app.mjs'
import { seeded } from '../fault/random.ts'
import { sample } from '../fixtures/clip.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { recogniserSpec, swapperSpec } from '../fixtures/model-specs.ts'
import { recogniser, swapper } from '../fixtures/swap-models.ts'
import { hasOption, numberOf, report, round, run as runProgram, say, wordsOf, workFolder } from './lib/harness.mjs'

const wanted = numberOf('--kills', 100)
const until = Date.now() + numberOf('--minutes', 60) * 60_000
const seconds = numberOf('--seconds', 12)
const fps = numberOf('--fps', 25)
const seed = numberOf('--seed', 5)
const random = seeded(seed)
const oneOf = (/** @type {readonly any[]} */ list) => list[Math.floor(random() * list.length)]
const work = workFolder('kills')
const disk = join(work, 'disk')
const files = { face: sample.face, video: join(work, 'clip.mp4') }
const ballast = join(disk, 'ballast')
const method = hasOption('--method') ? makeModel() : null
/** Long enough for anything but a hang. */
const patienceMs = 240_000

mkdirSync(disk)
const isSmall = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=192m', 'mien-kills', disk]).status === 0
const ways = ['engine', 'app', 'power', ...(isSmall ? ['disk'] : [])]
/** Instants, and how long after them at most it strikes. */
const instants = { preparing: 1500, look: 100, swapping: 30, saving: 25, finishing: 40, reported: 25, fetching: 10 }

/** One swap, from submitting it to the kept file, killed as the plan says. */
class Run {
  /** @type {KilledApp | null} */
  app = null
  /** @type {Client | null} */
  client = null
  /** @type {Record<string, string>} */
  headers = {}
  objectId = ''
  last = ''
  folder = ''
  kept = 0
  /** What the model ran on, in the last result. */
  ranOn = null
  scratch = 0
  framesDone = 0
  /** @type {((instant: string, share: number) => void) | null} */
  onInstant = null
  /** @type {string[]} */
  wrong = []

  /** @param {string} main @param {number} number */
  constructor(main, number) {
    this.dir = join(disk, `run-${String(number)}`)
    this.durable = join(work, `durable-${String(number)}`)
    this.keptFile = join(work, `kept-${String(number)}.mp4`)
    this.places = { main, dir: this.dir, durable: this.durable, method }
    mkdirSync(this.dir)
  }

  async start() {
    this.app = new KilledApp(this.places, (line) => {
      this.#hear(line)
    })
    const service = await this.app.service
    if (!service) throw new Error('the app did not start')
    const admin = new Client(service.baseUrl, { 'X-Admin-Token': service.adminToken })
    this.headers = { 'X-Service-Apikey': (await admin.ask('/v1/openapi_account/new', { userId: 1 })).sk }
    this.client = new Client(service.baseUrl, this.headers)
    if (this.objectId) return
    const [face, video] = [await this.client.upload(files.face), await this.client.upload(files.video)]
    const swap = { title: 'Clip', imageUrl: face.url, videoUrl: video.url }
    this.objectId = (await this.client.ask('/v1/faceswap-openapi/create', swap)).objectID
    this.folder = join(this.dir, 'jobs', this.objectId)
  }

  /** @param {any} line */
  #hear({ begun, progress, swapped, uncaught }) {
    if (uncaught) this.wrong.push(uncaught)
    if (begun) this.onInstant?.('preparing', 0)
    if (begun) this.#watch(begun)
    if (swapped) this.onInstant?.('reported', 1)
    if (swapped) this.ranOn = swapped.ranOn
    this.kept = Math.max(this.kept, swapped?.stages.keptFrames ?? 0)
    if (!progress) return
    this.scratch = Math.max(this.scratch, sizeOf(join(this.folder, 'work')))
    const share = progress.framesDone / (progress.framesTotal || 1)
    if (progress.previewFrame !== null) this.onInstant?.('look', share)
    this.onInstant?.(progress.stage, share)
  }

  /** A checkpoint or its packets are being written. @param {string} dir */
  #watch(dir) {
    const watcher = watch(dir, (_event, name) => {
      if (/^segment-.*part$/.test(name ?? '')) this.onInstant?.('saving', 0)
    })
    watcher.on('error', () => undefined)
    watcher.unref()
  }

  /** Goes on until the file is kept, or the app is killed; whatever else comes is put down as wrong. */
  async follow() {
    const end = Date.now() + patienceMs
    while (this.app && !this.app.gone) {
      if (Date.now() > end) {
        this.wrong.push(`it hangs: ${this.last}`)
        return false
      }
      try {
        if (await this.#look()) return true
      } catch (error) {
        // Asked while it was killed.
        if (!this.app.gone && /** @type {any} */ (error).status === undefined) await wait(20)
      }
      await wait(40)
    }
    return false
  }

  async #look() {
    const { client } = this
    const [item] = (await client?.ask(`/v1/faceswap-openapi/listbyids?objectID=${this.objectId}`))?.list ?? []
    this.last = JSON.stringify([item?.status, item?.errorCode, item?.work])
    if (item?.status === 'failed') {
      if (item.errorCode !== 'disk-full') this.wrong.push(item.errorCode)
      rmSync(ballast, { force: true })
      await client?.ask('/v1/faceswap-openapi/resume', { objectID: this.objectId })
    }
    if (item?.status !== 'completed') return false
    this.onInstant?.('fetching', 1)
    const response = await fetch(item.Video.videoUrl, { headers: this.headers })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (bytes.length !== item.Video.size) return false
    writeFileSync(this.keptFile, bytes)
    await client?.ask('/v1/faceswap-openapi/delete', { objectID: this.objectId })
    return true
  }

  /** Strikes once, at an instant of the kind, and goes on from there. @returns whether it struck before the end */
  async strike(/** @type {string} */ way, /** @type {keyof typeof instants} */ instant) {
    const from = random()
    let left = instant === 'saving' ? Math.floor(random() * 6) : 0
    let struck = false
    const done = Promise.withResolvers()
    this.onInstant = (which, share) => {
      if (which !== instant || (instant === 'swapping' && share < from) || left-- > 0) return
      this.onInstant = null
      struck = true
      void wait(random() * instants[instant])
        .then(() => this.#hit(way))
        .then(done.resolve)
    }
    await this.start()
    const kept = await this.follow()
    this.onInstant = null
    if (struck) await done.promise
    await this.end()
    return { struck, kept }
  }

  /** @param {string} way */
  async #hit(way) {
    if (way === 'engine') this.app?.crashEngine()
    else if (way === 'disk') {
      await fillDisk(ballast)
      // Room comes back whether the swap noticed or not.
      void wait(1500).then(() => {
        rmSync(ballast, { force: true })
      })
    } else {
      await this.app?.kill()
      if (way === 'power') await cutPower(join(this.folder, 'work'), join(this.durable, 'names'), random)
    }
  }

  async end() {
    await this.app?.kill()
    this.app = null
  }

  clear() {
    for (const path of [this.dir, this.durable, this.keptFile, ballast]) rmSync(path, { recursive: true, force: true })
  }
}

/** @param {string} dir */
function sizeOf(dir) {
  try {
    return readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
  } catch {
    // Something was renamed meanwhile.
    return 0
  }
}

/**
 * How many frames differ, and whether the sound does.
 * @typedef {import('../fixtures/media-facts.ts').MediaFacts} MediaFacts
 * @param {MediaFacts} found
 * @param {MediaFacts} expected
 */
function differences({ frames, audio }, expected) {
  const length = Math.max(frames.length, expected.frames.length)
  const differing = Array.from({ length }, (_, index) => frames[index] !== expected.frames[index]).filter(Boolean)
  return { frames: differing.length, audio: audio?.hash === expected.audio?.hash ? 0 : 1 }
}

/** The files of a small model whose answer depends on the face and on the frame. */
function makeModel() {
  const spec = swapperSpec('inswapper')
  const paths = { swapper: join(work, 'swapper.onnx'), recogniser: join(work, 'recogniser.onnx') }
  writeFileSync(paths.swapper, swapper('inswapper', { paint: 'colour' }))
  writeFileSync(paths.recogniser, recogniser())
  return {
    swapper: { path: paths.swapper, spec },
    recogniser: { path: paths.recogniser, spec: recogniserSpec },
    ...{ converter: null, strength: 0.6, backend: 'webgpu' },
  }
}

/** The video to swap: the given one, or the sample, as often as it takes. */
function makeClip() {
  const [given] = wordsOf('--video')
  if (given !== undefined) return copyFileSync(given, files.video)
  const loops = String(Math.max(0, Math.ceil(seconds / 6) - 1))
  const source = ['-stream_loop', loops, '-i', sample.video]
  runProgram('ffmpeg', '-v', 'error', ...source, '-vf', `scale=640:360,fps=${fps}`, '-c:a', 'copy', files.video)
}

makeClip()
/** @type {Record<string, number>} */
const counts = {}
/** @type {object[]} */
const unequal = []
/** @type {object[]} */
const wrong = []
let [kills, resumed, runs] = [0, 0, 0]
let run = null
const began = Date.now()
try {
  const main = await buildEngineMain(join(work, 'main'), 'test/bench/lib/kills-main.ts')
  run = new Run(main, 0)
  await run.start()
  if (!(await run.follow())) throw new Error(`the undisturbed swap failed: ${run.wrong.join(', ')}`)
  await run.end()
  const expected = await mediaFacts(run.keptFile)
  const ranOn = JSON.stringify(run.ranOn)
  const scratchToOutput = run.scratch / statSync(run.keptFile).size
  run.clear()
  while (kills < wanted && Date.now() < until) {
    runs += 1
    run = new Run(main, runs)
    let kept = false
    while (!kept && run.wrong.length === 0) {
      const [way, instant] = [oneOf(ways), oneOf(Object.keys(instants))]
      if (kills >= wanted) {
        await run.start()
        kept = await run.follow()
        await run.end()
        break
      }
      const outcome = await run.strike(way, instant)
      kept = outcome.kept
      if (!outcome.struck) continue
      kills += 1
      for (const key of [way, instant]) counts[key] = (counts[key] ?? 0) + 1
      say(`kill ${String(kills)}: ${way}, ${instant}`)
    }
    if (run.kept > 0) resumed += 1
    const found = kept ? differences(await mediaFacts(run.keptFile), expected) : null
    if (kept && JSON.stringify(run.ranOn) !== ranOn) run.wrong.push(`ran on ${JSON.stringify(run.ranOn)}`)
    if (!found || run.wrong.length > 0) wrong.push({ run: runs, wrong: run.wrong })
    else if (found.frames + found.audio > 0) unequal.push({ run: runs, ...found })
    say(`run ${String(runs)} ended: ${JSON.stringify(found)} different ${run.wrong.join(', ')}`)
    run.clear()
  }
  const result = {
    ...{ seed, kills, counts, runs, resumed, wrong, unequal, frames: expected.frames.length },
    ...{ audioPackets: expected.audio?.packets ?? 0, scratchToOutput: round(scratchToOutput, 2) },
    ...(method && { ranOn: JSON.parse(ranOn) }),
    ...{ minutes: round((Date.now() - began) / 60_000, 1), fullDisk: isSmall },
  }
  report(result, wrong.length + unequal.length === 0)
} finally {
  await run?.end()
  if (isSmall) spawnSync('umount', ['-l', disk])
}
