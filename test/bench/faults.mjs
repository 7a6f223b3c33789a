/**
 * @file Every fault at every point of a swap's life, against the real app context in Electron, and SIGKILL at 200 random instants
 * (80 of them in Electron, 120 in Node over the same outbox, watcher, downloader and database). `--only TEXT` runs the cases
 * whose names have it, and no kills. The faults play on real HTTP services in this process.
 */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { electronFlags } from '../../scripts/lib/app.mjs'
import { outDir } from '../../scripts/build.mjs'
import { ChildMien } from './faults/child.ts'
import { cases } from '../fault/cases.ts'
import { openHosts } from '../fault/hosts.ts'
import { runChain } from './faults/kills.ts'
import { keyPrefix, runMatrix } from '../fault/matrix.ts'
import { seeded } from '../fault/random.ts'
import { buildEngineMain } from './lib/engine-process.mjs'
import { electron, report, root, say, wordsOf, workFolder } from './lib/harness.mjs'

const made = join(root, '.cache/bench-faults')
const [only] = wordsOf('--only')
const atOnce = 70
const work = workFolder('faults')

const [electronMain, nodeMain] = [
  await buildEngineMain(join(made, 'electron-main'), 'test/bench/faults/electron-main.ts'),
  await buildEngineMain(join(made, 'node-main'), 'test/bench/faults/node-main.ts'),
]

/** @param {string} dir */
const inElectron = (dir) => ({
  command: electron,
  args: [...electronFlags(), electronMain],
  env: {
    ...process.env,
    MIEN_FAULT_DIR: dir,
    MIEN_FAULT_OUT: outDir,
    MIEN_FAULT_RESOURCES: join(root, 'resources'),
  },
})
/** @param {string} dir */
const inNode = (dir) => ({ command: process.execPath, args: [nodeMain, dir], env: process.env })

const totals = { cases: 0, lost: 0, doubled: 0, wrongDone: 0, crashes: 0, leaked: 0 }
/** @type {Record<string, { cases: number, lost: number, doubled: number, wrongDone: number }>} */
const byFault = {}

/** @param {string} fault @param {{ lost: boolean, doubled: boolean, wrongDone: boolean }} verdict @param {string} what */
function count(fault, verdict, what) {
  const row = (byFault[fault] ??= { cases: 0, lost: 0, doubled: 0, wrongDone: 0 })
  row.cases += 1
  totals.cases += 1
  for (const bad of /** @type {const} */ (['lost', 'doubled', 'wrongDone'])) {
    if (!verdict[bad]) continue
    row[bad] += 1
    totals[bad] += 1
    process.stderr.write(`${bad}: ${what}\n`)
  }
}

/** Keys in anything that Mien wrote, but the file that stands for the keychain. @param {string} dir */
function keysIn(dir) {
  let found = 0
  for (const name of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!name.isFile() || name.name === 'keys.json') continue
    if (!readFileSync(join(name.parentPath, name.name)).includes(keyPrefix)) continue
    found += 1
    process.stderr.write(`leaked: into ${name.name}\n`)
  }
  return found
}

async function matrix() {
  const chosen = only === undefined ? cases : cases.filter(({ name }) => name.includes(only))
  for (let from = 0; from < chosen.length; from += atOnce) {
    const part = chosen.slice(from, from + atOnce)
    const dir = mkdtempSync(join(work, 'run-'))
    const hosts = await openHosts()
    const mien = new ChildMien(inElectron(dir))
    if (!(await mien.ready)) throw new Error(`Electron did not start: ${mien.stderr}`)
    try {
      const results = await runMatrix(mien, part, hosts, { deadlineMs: 180_000, graceMs: 1500, wrongMs: 4000 })
      for (const result of results) {
        count(result.fault, result, `${result.name} (${result.seen})`)
        if (result.played === 0 && !/^(?:dns|refused|tls)/.test(result.name))
          process.stderr.write(`never played: ${result.name}\n`)
      }
      totals.crashes += await mien.crashes()
    } catch (error) {
      totals.crashes += 1
      process.stderr.write(`crash: ${String(error)}\n`)
    }
    await mien.end()
    if (hosts.heard().includes(keyPrefix)) {
      totals.leaked += 1
      process.stderr.write('leaked: to another host\n')
    }
    totals.leaked += keysIn(dir)
    hosts.stop()
    say(`${Math.min(from + atOnce, chosen.length)} of ${chosen.length} cases`)
  }
}

/** @param {string} name @param {typeof inNode} child @param {number} chains @param {number} perChain @param {number} spanMs @param {number} startMs */
async function kills(name, child, chains, perChain, spanMs, startMs) {
  const next = seeded(20261120 + chains)
  let left = chains
  const worker = async () => {
    while (left > 0) {
      left -= 1
      const result = await runChain({ child, kills: perChain, random: next, spanMs, startMs })
      for (const verdict of result.verdicts) {
        count(name, verdict, `${name}, ${verdict.title} (${verdict.seen})`)
      }
      // Kills during a start have no swap of their own; each is a case all the same.
      for (let n = result.verdicts.length; n < result.kills; n += 1)
        count(name, { lost: false, doubled: false, wrongDone: false }, '')
      totals.crashes += result.crashes
      say(`${name}: ${JSON.stringify(result.met)}, ${left} chains left`)
    }
  }
  await Promise.all(Array.from({ length: 3 }, worker))
}

await matrix()
if (only === undefined) {
  await kills('killed in Electron', inElectron, 16, 5, 3000, 900)
  await kills('killed in Node', inNode, 24, 5, 3000, 300)
}
report({ ...totals, byFault }, totals.lost + totals.doubled + totals.wrongDone + totals.crashes + totals.leaked === 0)
process.exit()
