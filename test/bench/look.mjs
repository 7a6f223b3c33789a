/**
 * @file How long after a click the first swapped still is on the page, and the result kept, in the real window: after Swap,
 * with a face and a video that were dropped before; and after "Try it with sample media", which looks at both first. And how
 * long after Proof its first moment loops, and all of them can be seen, once the people of the video are known. Each time in an app that was just started with a fresh library, and left alone for three seconds; the pointer is on the button
 * half a second before the click. `--runs N` of each (5), `--only NAME` of one. `--only small-model` and
 * `--only large-model` (of inswapper's size) swap a short clip twice by a model: the second time it is loaded already (warm), and what counts is the
 * time beyond one run of it, as its check measured.
 */
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { choosePaths, dropFiles, launch } from '../e2e/app.ts'
import { sample, shortClip } from '../fixtures/clip.ts'
import { writeLargeSwapper } from './lib/large-model.ts'
import { recogniser, swapper } from '../fixtures/swap-models.ts'
import { numberOf, say, wordsOf, workFolder } from './lib/harness.mjs'
import { median } from './quality/numbers.mjs'

const runs = numberOf('--runs', 5)
const [only] = wordsOf('--only')
const work = workFolder('look')

/** @typedef {import('playwright-core').Page} Page */
/** Resolve when something is on the page. Asked for in each frame: a locator looks every half second only. */
/** @typedef {{ look: (page: Page, timeoutMs?: number) => Promise<unknown>, all: (page: Page) => Promise<unknown> }} Shown */

const drop = async (/** @type {Page} */ page) => {
  await dropFiles(page, 'main', [sample.face])
  await page.getByText('1 face found').waitFor()
  await dropFiles(page, 'main', [sample.video])
  await page.getByText('1 person').waitFor()
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
}
/** @type {Shown} */
const task = {
  // The second picture is the swapped one.
  look: (page, timeout) =>
    page.waitForFunction(() => document.querySelectorAll('[aria-label="Live picture"] img').length > 1, undefined, {
      ...(timeout && { timeout }),
    }),
  all: (page) => page.getByRole('button', { name: 'Save as…' }).waitFor(),
}
/** @type {Shown} */
const proof = {
  look: (page) =>
    page.waitForFunction(() => {
      const video = document.querySelector('video[loop]')
      return video instanceof HTMLVideoElement && !video.paused && video.currentTime > 0
    }),
  all: (page) => page.waitForFunction(() => document.body.innerText.includes('Proof ready: 3 moments')),
}

/** What comes before the click, the button, and what is waited for. */
const ways = {
  dropped: { before: drop, button: 'Swap', shown: task },
  sample: { before: () => Promise.resolve(), button: 'Try it with sample media', shown: task },
  proof: {
    before: async (/** @type {Page} */ page) => {
      await drop(page)
      await page.getByText(/^Looking for people/).waitFor({ state: 'detached' })
    },
    ...{ button: 'Proof', shown: proof },
  },
}

/** @param {(typeof ways)[keyof typeof ways]} way @returns {Promise<{ lookMs: number, allMs: number }>} */
async function once({ before, button, shown }) {
  const studio = await launch()
  const { page } = studio
  await before(page)
  await sleep(3000)
  // A hand does not come out of nowhere.
  await page.getByRole('button', { name: button, exact: true }).hover()
  await sleep(500)
  const clicked = performance.now()
  await page.getByRole('button', { name: button, exact: true }).click()
  await shown.look(page)
  const lookMs = Math.round(performance.now() - clicked)
  await shown.all(page)
  const allMs = Math.round(performance.now() - clicked)
  await studio.quit()
  return { lookMs, allMs }
}

/**
 * Both models are called inswapper_128. Times of the first and of the second swap.
 * @param {boolean} isLarge
 */
async function byModel(isLarge) {
  const dir = mkdtempSync(join(work, 'model-'))
  const files = [join(dir, 'inswapper_128.onnx'), join(dir, 'w600k_r50.onnx')]
  if (isLarge) writeLargeSwapper(files[0] ?? '')
  else writeFileSync(files[0] ?? '', swapper('inswapper', { paint: 'colour' }))
  writeFileSync(files[1] ?? '', recogniser())
  const clip = await shortClip(join(dir, 'clip.mp4'), 5)
  const studio = await launch()
  const { page } = studio
  try {
    await choosePaths(studio, ...files)
    await page.keyboard.press('ControlOrMeta+,')
    await page.getByRole('button', { name: 'Add model…' }).click()
    await page.locator('[data-model="inswapper_128"]').getByText('for each frame').waitFor({ timeout: 600_000 })
    /** @type {{ name: string, check: { runMs: number } | null }[]} */
    const models = await page.evaluate('mien.models.list().then(({ value }) => value)')
    const runMs = Math.round(models.find(({ name }) => name === 'inswapper_128')?.check?.runMs ?? NaN)
    const lookMs = []
    for (const turn of ['cold', 'warm']) {
      await page.keyboard.press('ControlOrMeta+N')
      if (turn === 'cold') await dropFiles(page, 'main', [sample.face])
      await dropFiles(page, 'main', [clip])
      await page.getByText('1 person').waitFor()
      if (turn === 'cold') {
        await page.getByRole('checkbox', { name: /I may use this face/ }).check()
        await page.keyboard.press('ControlOrMeta+E')
        await page.getByRole('button', { name: 'Way to swap' }).click()
        await page.getByRole('menuitemradio', { name: 'inswapper_128' }).click()
      }
      await page.getByRole('button', { name: 'Swap', exact: true }).hover()
      await sleep(500)
      const clicked = performance.now()
      await page.getByRole('button', { name: 'Swap', exact: true }).click()
      await task.look(page, 600_000)
      lookMs.push(Math.round(performance.now() - clicked))
      await page.getByRole('button', { name: 'Save as…' }).waitFor({ timeout: 600_000 })
    }
    const [coldMs = NaN, warmMs = NaN] = lookMs
    return { runMs, coldMs, warmMs, beyondRunMs: warmMs - runMs }
  } finally {
    await studio.quit()
  }
}

/** @type {Record<string, object>} */
const result = {}
for (const [name, way] of Object.entries(ways)) {
  if (only !== undefined && name !== only) continue
  const all = []
  for (let run = 0; run < runs; run += 1) {
    const one = await once(way)
    all.push(one)
    say(`${name}: look after ${one.lookMs} ms, all after ${one.allMs} ms, load ${loadavg()[0]?.toFixed(1) ?? ''}`)
  }
  result[name] = {
    lookMs: median(all.map((one) => one.lookMs)),
    allMs: median(all.map((one) => one.allMs)),
    runs: all,
  }
}
for (const name of ['small-model', 'large-model']) {
  if (only !== name) continue
  result[name] = await byModel(name === 'large-model')
  say(`${name}: ${JSON.stringify(result[name])}, load ${loadavg()[0]?.toFixed(1) ?? ''}`)
}
process.stdout.write(`${JSON.stringify(result)}\n`)
