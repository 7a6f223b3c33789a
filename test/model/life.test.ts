/**
 * @file Random sequences of what users, services and crashes do to swaps, against the real library and the real embedded
 * service. Nothing is ever stuck, sent twice, or left on a disk that nobody owns. `MIEN_MODEL_RUNS` and `MIEN_MODEL_SEED`
 * choose how many, and which; `npm run -s bench -- life` runs many.
 */
import { it } from 'vitest'
import fc from 'fast-check'
import { World } from './world.ts'
import { actions, type Action } from './actions.ts'
import { checkAlways, checkAtTheEnd, drain } from './invariants.ts'

const runs = Number(process.env['MIEN_MODEL_RUNS'] ?? 40)
const seed = Number(process.env['MIEN_MODEL_SEED'] ?? 20_261_122)

/** `MIEN_MODEL_PATH`, as a failure names it, plays that one again. */
const path = process.env['MIEN_MODEL_PATH']
const replay = path === undefined ? {} : { path, endOnFailure: true }

async function play(extras: { idempotency: boolean; cancel: boolean; delete: boolean }, sequence: readonly Action[]) {
  const world = new World(extras)
  world.clock.start()
  try {
    await world.open()
    for (const action of sequence) {
      await action.run(world)
      await world.clock.settle()
      checkAlways(world)
    }
    await drain(world)
    await checkAtTheEnd(world)
  } catch (error) {
    if (path !== undefined) process.stderr.write(await world.report())
    throw error
  } finally {
    await world.close()
  }
}

it(`keeps its promises in ${String(runs)} random sequences`, { timeout: 60_000 + runs * 5000 }, async () => {
  const extras = fc.oneof(
    fc.record({ idempotency: fc.boolean(), cancel: fc.boolean(), delete: fc.boolean() }),
    // A service that can do everything must be left without a trace.
    fc.constant({ idempotency: true, cancel: true, delete: true }),
  )
  const sequences = fc.array(actions, { minLength: 5, maxLength: 40, size: 'max' })
  await fc.assert(fc.asyncProperty(extras, sequences, play), { numRuns: runs, seed, ...replay })
})
