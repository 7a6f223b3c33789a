/** @file 100,000 damaged answers through the client's readers: `{answers, readable, wrong, slowestMs}`. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildEngineMain } from './lib/engine-process.mjs'
import { report, root } from './lib/harness.mjs'

const main = await buildEngineMain(join(root, '.cache/bench-mutations'), 'test/fault/mutations.ts')
const { readMutated } = await import(pathToFileURL(main).href)
const found = readMutated(100_000, 7)
report({ ...found, slowestMs: Math.round(found.slowestMs) }, found.wrong.length === 0 && found.slowestMs < 1000)
process.exit()
