/**
 * @file How long after a click the first swapped still is on the page, and the result kept, in the real window: after Swap,
 * with a face and a video that were dropped before; and after "Try it with sample media", which looks at both first. Each
 * time in an app that was just started with a fresh library, and left alone for three seconds; the pointer is on the button
 * half a second before the click. `--runs N` of each (5).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { dropFiles, launch } from '../e2e/app.ts'
import { sample } from '../fixtures/clip.ts'

const option = (/** @type {string} */ name, /** @type {number} */ otherwise) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}
const runs = option('runs', 5)
const quiet = process.argv.includes('--json')

/** @typedef {import('playwright-core').Page} Page */

/** What comes before the click, and the button. */
const ways = {
  dropped: {
    before: async (/** @type {Page} */ page) => {
      await dropFiles(page, 'main', [sample.face])
      await page.getByText('1 face found').waitFor()
      await dropFiles(page, 'main', [sample.video])
      await page.getByText('1 person').waitFor()
      await page.getByRole('checkbox', { name: /I may use this face/ }).check()
    },
    button: 'Swap',
  },
  sample: { before: () => Promise.resolve(), button: 'Try it with sample media' },
}

/** @param {(typeof ways)[keyof typeof ways]} way @returns {Promise<{ lookMs: number, keptMs: number }>} */
async function once({ before, button }) {
  const studio = await launch()
  const { page } = studio
  await before(page)
  await sleep(3000)
  // A hand does not come out of nowhere.
  await page.getByRole('button', { name: button, exact: true }).hover()
  await sleep(500)
  const clicked = performance.now()
  await page.getByRole('button', { name: button, exact: true }).click()
  // The second picture is the swapped one. Asked for in each frame: a locator looks every half second only.
  await page.waitForFunction(() => document.querySelectorAll('[aria-label="Live picture"] img').length > 1)
  const lookMs = Math.round(performance.now() - clicked)
  await page.getByRole('button', { name: 'Save as…' }).waitFor()
  const keptMs = Math.round(performance.now() - clicked)
  await studio.quit()
  return { lookMs, keptMs }
}

const median = (/** @type {number[]} */ values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN

/** @type {Record<string, object>} */
const result = {}
for (const [name, way] of Object.entries(ways)) {
  const all = []
  for (let run = 0; run < runs; run += 1) {
    const one = await once(way)
    all.push(one)
    if (!quiet) process.stdout.write(`${name}: look after ${one.lookMs} ms, kept after ${one.keptMs} ms\n`)
  }
  result[name] = {
    lookMs: median(all.map((one) => one.lookMs)),
    keptMs: median(all.map((one) => one.keptMs)),
    runs: all,
  }
}
process.stdout.write(`${JSON.stringify(result)}\n`)
