/**
 * @file Random sequences over the life of swaps (test/model), many of them: `--runs N` (10,000), `--seed N`. The last line
 * is a JSON object: how many were played, and whether all kept their promises.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { numberOf, report, root } from './lib/harness.mjs'

const runs = numberOf('--runs', 10_000)
const seed = numberOf('--seed', 1)
const began = performance.now()
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'model'],
  {
    cwd: root,
    // What failed, and how to play it again, is for people.
    stdio: ['ignore', process.stderr, 'inherit'],
    env: { ...process.env, MIEN_MODEL_RUNS: String(runs), MIEN_MODEL_SEED: String(seed) },
  },
)
const seconds = Math.round((performance.now() - began) / 1000)
report({ runs, seed, seconds }, status === 0)
