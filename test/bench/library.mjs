/**
 * @file Whether a library of 100,000 swaps is used like one of a hundred, in the real app: from the start of its process to
 * the frame with the first rows; from a key in the search field to the frame with what it finds; from a jump of the scroll
 * bar to the frame with all rows; memory (PSS) of main and the studio's page; then the queries and changes of main alone
 * (library-store.ts). `--swaps N` of the large one, `--starts N`, `--store`: only main alone.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { appFolder } from '../../scripts/build.mjs'
import { electronFlags } from '../../scripts/lib/app.mjs'
import { sample, thumbnail } from '../fixtures/clip.ts'
import { buildEngineMain } from './lib/engine-process.mjs'
import { electron, hasOption, numberOf, report, round, run, say, workFolder } from './lib/harness.mjs'
import { pssOfOne, quit as quitApp, treeOf } from './lib/process-tree.mjs'
import { median, quantile } from './quality/numbers.mjs'

const sizes = { small: 100, large: numberOf('--swaps', 100_000) }
const starts = numberOf('--starts', 7)
/** What may be: ratios of the large library to the small one, and ms. Memory after use, and the slowest searches, count. */
const max = { open: 1.2, searchMs: 50, memory: 1.3, storeMs: 100, storeLongMs: 1000 }
/** What may take `storeLongMs` in main. */
const long = ['open', 'tag 10,000', 'untag 10,000', 'favourite 10,000']
/** What is typed, letter by letter. */
const searches = ['launch day', 'clip', 'take 777', 'portrait 9', 'mona-lisa', '视频', 'nothing like it']
const jumps = 20
const idleMs = 10_000
const deadlineMs = 120_000
const work = workFolder('library')

/** Starts the app on a library. @param {string} dataDir */
async function launch(dataDir) {
  const env = { ...process.env, MIEN_MEASURE_AFTER_MS: 'never' }
  const args = [...electronFlags(), '--remote-debugging-port=0', appFolder, '--data-dir', dataDir]
  const startedAt = Date.now()
  const child = spawn(electron, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  /** @type {string} */
  const address = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no window\n${said}`)), deadlineMs)
    child.stderr.on('data', (text) => {
      said += text
      const found = /DevTools listening on (\S+)/.exec(said)?.[1]
      if (found === undefined) return
      clearTimeout(timer)
      resolve(found)
    })
    child.on('exit', (code) => reject(new Error(`ended with ${code}\n${said}`)))
  })
  const browser = await chromium.connectOverCDP(address)
  const studio = () => browser.contexts().flatMap((context) => context.pages())
  for (const end = Date.now() + deadlineMs; Date.now() < end;) {
    const page = studio().find((each) => each.url().startsWith('app://studio'))
    if (page) return { child, browser, page, startedAt }
    await sleep(20)
  }
  throw new Error('no studio')
}

/** @param {Awaited<ReturnType<typeof launch>>} app */
async function quit({ child, browser }) {
  await browser.close()
  await quitApp(child)
}

/** ms to the first frame, in which the first rows are. @param {Awaited<ReturnType<typeof launch>>} app */
async function opened({ page, startedAt }) {
  await page.waitForSelector('[data-task]', { timeout: deadlineMs })
  const shownAt = await page.evaluate(() => {
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    if (document.querySelector('[data-task]') === null) throw new Error('no rows')
    return performance.timeOrigin + (paint?.startTime ?? NaN)
  })
  return shownAt - startedAt
}

/** ms of each key. @param {import('playwright-core').Page} page */
async function typed(page) {
  return page.evaluate(async (words) => {
    const field = document.querySelector('input[type=search]')
    if (!(field instanceof HTMLInputElement)) throw new Error('no field')
    const frame = () => new Promise(requestAnimationFrame)
    const ready = (/** @type {string} */ text) => {
      const grid = document.querySelector('[data-search]')
      return grid?.getAttribute('data-search') === text.trim() && grid.querySelector('[aria-busy=true]') === null
    }
    /** @type {{ text: string, ms: number }[]} */
    const times = []
    for (const word of words) {
      for (let length = 0; length <= word.length; length += 1) {
        const text = word.slice(0, length)
        await new Promise((resolve) => setTimeout(resolve, 100))
        await frame()
        const began = performance.now()
        field.value = text
        field.dispatchEvent(new InputEvent('input', { bubbles: true }))
        while (!ready(text)) await frame()
        times.push({ text, ms: performance.now() - began })
      }
    }
    field.value = ''
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    return times
  }, searches)
}

/** ms of each jump, to places all over the library. @param {import('playwright-core').Page} page */
async function jumped(page) {
  return page.evaluate(async (count) => {
    const list = document.querySelector('main')
    if (!list) throw new Error('no list')
    const frame = () => new Promise(requestAnimationFrame)
    const ready = () => {
      const { top, bottom } = list.getBoundingClientRect()
      const seen = [...list.querySelectorAll('[data-number]')].filter((cell) => {
        const box = cell.getBoundingClientRect()
        return box.bottom > top && box.top < bottom
      })
      return seen.length > 0 && seen.every((cell) => cell.getAttribute('aria-busy') === 'false')
    }
    /** @type {number[]} */
    const times = []
    for (let jump = 0; jump < count; jump += 1) {
      await frame()
      const began = performance.now()
      list.scrollTop = list.scrollHeight * ((jump * 0.618) % 1)
      await frame()
      while (!ready()) await frame()
      times.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    list.scrollTop = 0
    return times
  }, jumps)
}

/** MiB of main and the studio's page. @param {import('node:child_process').ChildProcess} child */
function memoryOf(child) {
  const pids = treeOf(child.pid ?? 0)
  const isPage = (/** @type {number} */ pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')
  const page = pids.filter(isPage).reduce((sum, pid) => sum + pssOfOne(pid), 0)
  return { main: pssOfOne(child.pid ?? 0), page }
}

/** ms of main's queries and changes. @param {string} dataDir @returns {Promise<Record<string, { ms: number, swaps?: number }>>} */
async function store(dataDir) {
  const main = await buildEngineMain(join(work, 'store'), 'test/bench/lib/library-store.ts')
  return JSON.parse(run(process.execPath, main, dataDir))
}

const tooSlow = (/** @type {Record<string, { ms: number }>} */ times) =>
  Object.entries(times)
    .filter(([name, { ms }]) => ms > (long.includes(name) ? max.storeLongMs : max.storeMs))
    .map(([name]) => name)

/**
 * Uses both libraries in the app.
 * @param {Record<'small' | 'large', string>} dirs data folders
 */
async function inWindow(dirs) {
  const names = /** @type {const} */ (['small', 'large'])
  /** @type {Record<'small' | 'large', number[]>} */
  const open = { small: [], large: [] }
  for (let start = 0; start <= starts; start += 1) {
    for (const name of start % 2 === 0 ? names : names.toReversed()) {
      const app = await launch(dirs[name])
      const ms = await opened(app)
      // The first start of each makes its settings and caches.
      if (start > 0) open[name].push(ms)
      say(`${sizes[name]} swaps, start ${start}: ${round(ms)} ms`)
      await sleep(500)
      await quit(app)
    }
  }
  /** @type {Record<string, { search: { median: number, p95: number, max: string }, jump: { median: number, p95: number }, pss: { main: number, page: number, idle: number, used: number } }>} */
  const used = {}
  for (const name of names) {
    const app = await launch(dirs[name])
    await opened(app)
    await sleep(idleMs)
    const idle = memoryOf(app.child)
    const keys = await typed(app.page)
    const scrolled = await jumped(app.page)
    await sleep(idleMs)
    const after = memoryOf(app.child)
    const ms = keys.map((key) => key.ms)
    say(keys.map(({ text, ms: took }) => `“${text}” ${round(took)}`).join(', '))
    const slowest = keys.toSorted((a, b) => b.ms - a.ms)[0]
    used[name] = {
      search: {
        ...{ median: round(median(ms)), p95: round(quantile(ms, 0.95)) },
        max: `${round(slowest?.ms ?? 0)} ms for “${slowest?.text ?? ''}”`,
      },
      jump: { median: round(median(scrolled)), p95: round(quantile(scrolled, 0.95)) },
      pss: {
        ...{ main: round(idle.main), page: round(idle.page), idle: round(idle.main + idle.page) },
        used: round(after.main + after.page),
      },
    }
    say(`${sizes[name]} swaps: ${JSON.stringify(used[name])}`)
    await quit(app)
  }
  const ratio = (/** @type {number} */ large, /** @type {number} */ small) => round(large / small, 2)
  const [small, large] = [used['small'], used['large']]
  if (!small || !large) throw new Error('nothing was measured')
  const result = {
    open: { small: round(median(open.small)), large: round(median(open.large)) },
    openRatio: ratio(median(open.large), median(open.small)),
    search: { small: small.search, large: large.search },
    jump: { small: small.jump, large: large.jump },
    pssMB: { small: small.pss, large: large.pss },
    memoryRatio: ratio(large.pss.idle, small.pss.idle),
    memoryRatioUsed: ratio(large.pss.used, small.pss.used),
  }
  const pass =
    result.openRatio <= max.open &&
    large.search.p95 <= max.searchMs &&
    Math.max(result.memoryRatio, result.memoryRatioUsed) <= max.memory
  return { ...result, pass }
}

const seed = await buildEngineMain(join(work, 'seed'), 'test/bench/lib/library-seed.ts')
/** @type {Record<'small' | 'large', string>} */
const dirs = { small: join(work, 'small'), large: join(work, 'large') }
/** @type {Record<string, { migrationMs: number, mb: number }>} */
const seeded = {}
const onlyStore = hasOption('--store')
const names = onlyStore ? /** @type {const} */ (['large']) : /** @type {const} */ (['small', 'large'])
for (const name of names) {
  const made = run(process.execPath, seed, dirs[name], String(sizes[name]), sample.face, thumbnail)
  seeded[name] = JSON.parse(made)
  say(`${sizes[name]} swaps: ${made.trim()}`)
}
const used = onlyStore ? { pass: true } : await inWindow(dirs)
const times = await store(dirs.large)
const slow = tooSlow(times)
report({ ...used, seeded, store: times, slow, max }, used.pass && slow.length === 0)
