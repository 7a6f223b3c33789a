/**
 * @file How long after a click the first swapped still is on the page, and the result kept, in the real window: after Swap,
 * with a face and a video that were dropped before; and after "Try it with sample media", which looks at both first. And how
 * long after Proof its first moment loops, and all of them can be seen, once the people of the video are known. Each time in an app that was just started with a fresh library, and left alone for three seconds; the pointer is on the button
 * half a second before the click. `--runs N` of each (5), `--only NAME` of one.
 */
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { dropFiles, launch } from '../e2e/app.ts'
import { sample } from '../fixtures/clip.ts'

const option = (/** @type {string} */ name, /** @type {number} */ otherwise) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}
const runs = option('runs', 5)
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined
const quiet = process.argv.includes('--json')

/** @typedef {import('playwright-core').Page} Page */
/** Resolve when something is on the page. Asked for in each frame: a locator looks every half second only. */
/** @typedef {{ look: (page: Page) => Promise<unknown>, all: (page: Page) => Promise<unknown> }} Shown */

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
  look: (page) => page.waitForFunction(() => document.querySelectorAll('[aria-label="Live picture"] img').length > 1),
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

const median = (/** @type {number[]} */ values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN

/** @type {Record<string, object>} */
const result = {}
for (const [name, way] of Object.entries(ways)) {
  if (only !== undefined && name !== only) continue
  const all = []
  for (let run = 0; run < runs; run += 1) {
    const one = await once(way)
    all.push(one)
    if (!quiet)
      process.stdout.write(
        `${name}: look after ${one.lookMs} ms, all after ${one.allMs} ms, load ${loadavg()[0]?.toFixed(1) ?? ''}\n`,
      )
  }
  result[name] = {
    lookMs: median(all.map((one) => one.lookMs)),
    allMs: median(all.map((one) => one.allMs)),
    runs: all,
  }
}
process.stdout.write(`${JSON.stringify(result)}\n`)
