/**
 * @file What it costs to watch many swaps of a remote service: the real app with a library of 1,000 and of 10,000 swaps at
 * work, each of which tells new progress in each answer. Of one whole cycle (every swap asked for once): requests, CPU time
 * of the main process, and the longest task on the window's thread. The service's answers are counted, not timed.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { launch } from '../e2e/app.ts'
import { FakeService, idsOf, listOf, routes } from '../fixtures/fake-service.ts'
import { buildEngineMain } from './lib/engine-process.mjs'
import { report, round, run, say, workFolder } from './lib/harness.mjs'

const counts = [1000, 10_000]
const idsPerRequest = 50
const profileId = 'bench'
const work = workFolder('bench')
const seed = await buildEngineMain(join(work, 'seed'), 'test/bench/lib/watch-seed.ts')
/** @type {typeof import('keytar')} */
const keytar = createRequire(import.meta.url)('keytar')

/** A service that has everything under way, a little further with each answer. */
async function openService() {
  let step = 0
  const service = await new FakeService().start()
  service.replies.set(
    routes.list,
    listOf(() => ({ status: 'processing', progress: (step % 90) / 100 })),
  )
  return {
    baseUrl: service.baseUrl,
    /** Waits until a cycle of `count` ids was asked for; returns its requests. */
    async cycle(/** @type {number} */ count) {
      const from = service.seen.length
      step += 1
      for (const end = Date.now() + 120_000; Date.now() < end; await sleep(20)) {
        const lists = service.seen.slice(from).filter(({ path }) => path.includes('/listbyids'))
        const cycle = lists.map(({ path }) => idsOf(path))
        if (new Set(cycle.flat()).size >= count) return cycle
      }
      throw new Error(`No whole cycle of ${count} within two minutes`)
    },
    close: () => service.stop(),
  }
}

/** A data folder with one swap of the sample, made by the app itself: the pattern of all the others. */
async function pattern() {
  const dataDir = join(work, 'pattern')
  const { page, quit } = await launch({ dataDir })
  await page.evaluate(async (id) => {
    const { mien } = /** @type {any} */ (globalThis)
    const taken = await mien.intake.sample()
    const { face, video } = taken.value
    await mien.profiles.pause({ profileId: id, paused: true })
    await mien.tasks.submit({ faceId: face.id, videoId: video.id, title: 'Pattern', profileId: id })
  }, 'this-computer')
  await quit({ keep: true })
  return dataDir
}

/** Fills a copy of the pattern with `count` swaps that the service has had for twenty minutes. */
async function fill(/** @type {string} */ from, /** @type {number} */ count, /** @type {string} */ baseUrl) {
  const dataDir = join(work, String(count))
  // Without what Chromium keeps there: its lock is another's.
  for (const name of ['library.db', 'settings.json', 'media'])
    cpSync(join(from, name), join(dataDir, name), { recursive: true })
  run(process.execPath, seed, dataDir, String(count), profileId)
  const path = join(dataDir, 'settings.json')
  const settings = JSON.parse(readFileSync(path, 'utf8'))
  const profile = { id: profileId, name: 'Bench', baseUrl, keyHeader: 'X-Service-Apikey', durationUnit: 'ms' }
  settings.profiles = [{ ...profile, allowHttp: false }]
  writeFileSync(path, JSON.stringify(settings))
  const account = `${profileId}@${settings.install}`
  await keytar.setPassword('Mien', account, 'sk-of-the-bench-0001')
  return { dataDir, forget: () => keytar.deletePassword('Mien', account) }
}

/** @param {string} from @param {number} count */
async function measure(from, count) {
  const service = await openService()
  const { dataDir, forget } = await fill(from, count, service.baseUrl)
  const { app, page, quit } = await launch({ dataDir })
  try {
    await service.cycle(count)
    // The first one meets a window that is still being made.
    await sleep(2000)
    await page.evaluate(() => {
      const found = /** @type {{ longest: number }} */ (/** @type {unknown} */ (globalThis))
      found.longest = 0
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) found.longest = Math.max(found.longest, duration)
      }).observe({ type: 'longtask' })
    })
    const before = await app.evaluate(() => process.cpuUsage())
    const cycle = await service.cycle(count)
    await sleep(500)
    const cpu = await app.evaluate((_, start) => process.cpuUsage(start), before)
    const longest = await page.evaluate(
      () => /** @type {{ longest: number }} */ (/** @type {unknown} */ (globalThis)).longest,
    )
    const ids = cycle.flat()
    return {
      tasks: count,
      requests: cycle.length,
      doubles: ids.length - new Set(ids).size,
      cpuMs: Math.round((cpu.user + cpu.system) / 1000),
      /** Chromium tells tasks from 50 ms on; 0: there was none. */
      longestUiTaskMs: Math.round(longest),
    }
  } finally {
    await quit({ keep: true })
    await forget()
    await service.close()
  }
}

const from = await pattern()
const cycles = []
for (const count of counts) {
  const cycle = await measure(from, count)
  cycles.push(cycle)
  say(`${count} swaps: ${cycle.requests} requests (⌈n/${idsPerRequest}⌉ = ${Math.ceil(count / idsPerRequest)}),`)
  say(
    `  ${cycle.cpuMs} ms of CPU in the main process, longest task of the window ${cycle.longestUiTaskMs || '< 50'} ms`,
  )
}
const [small, large] = cycles
const ratio = small && large ? round(large.cpuMs / small.cpuMs, 1) : null
const expected = cycles.every(({ tasks, requests }) => requests === Math.ceil(tasks / idsPerRequest))
say(`Ten times the swaps cost ${ratio} times as much.`)
report({ cycles, ratio }, expected)
