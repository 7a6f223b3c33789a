/**
 * @file Chains of kills: in one data folder, a Mien is started, given a new swap, and killed with SIGKILL at a random
 * instant; again and again; at last it may run to the end, and every swap that it ever took is looked for.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChildMien, type ChildOptions } from './child.ts'
import type { Row } from '../../fault/driver.ts'
import { judge, type Verdict } from '../../fault/judge.ts'
import { keyPrefix, wholeFile } from '../../fault/matrix.ts'
import { FaultyService } from '../../fault/faulty-service.ts'

export interface ChainOptions {
  child: (dir: string) => ChildOptions
  kills: number
  random: () => number
  /** Longest time from readiness to a kill. */
  spanMs: number
  /** Share of kills that come before it is ready at all, in a time of `startMs`. */
  startMs: number
}

export interface ChainResult {
  kills: number
  /** By the state that the newest swap was in as far as the service could tell: an idea of what the kills met. */
  met: Record<string, number>
  verdicts: (Verdict & { title: string; seen: string })[]
  crashes: number
}

const ended = new Set(['kept', 'failed', 'cancelled', 'missing', 'unconfirmed'])
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export async function runChain({ child, kills, random, spanMs, startMs }: ChainOptions): Promise<ChainResult> {
  const dir = mkdtempSync(join(tmpdir(), 'mien-kill-'))
  const service = new FaultyService({ key: () => `${keyPrefix}kill`, delayMs: () => random() * 80 })
  await service.start()
  const acknowledged = new Set<string>()
  const asked = new Set<string>()
  const met: Record<string, number> = {}
  let profileId = ''
  let crashes = 0
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const mien = new ChildMien(child(dir))
      if (profileId !== '' && random() < 0.15) {
        // While it starts: databases open, what a crash left is being settled.
        await wait(random() * startMs)
      } else {
        if (!(await mien.ready)) throw new Error(`It did not start: ${mien.stderr}`)
        if (profileId === '')
          profileId = await mien.addService({ name: 'Remote', baseUrl: service.baseUrl, key: `${keyPrefix}kill` })
        const title = `Swap ${String(kill)}`
        asked.add(title)
        const taken = mien.submit(profileId, title).then(
          () => acknowledged.add(title),
          () => undefined,
        )
        // Half of them early, where uploads and creates are.
        await wait(random() * (random() < 0.5 ? spanMs / 8 : spanMs))
        const point = (service.heardCreates.get(title) ?? 0) > 0 ? 'after the create' : 'before the create'
        met[point] = (met[point] ?? 0) + 1
        await mien.kill()
        await taken
      }
      if (mien.exit === null) await mien.kill()
      if (mien.exit !== null && mien.exit.signal !== 'SIGKILL') crashes += 1
    }
    const last = new ChildMien(child(dir))
    if (!(await last.ready)) throw new Error(`It did not start: ${last.stderr}`)
    const rows = await settle(last)
    const verdicts = [...asked].map((title) => {
      const row = rows.find((each) => each.title === title)
      const made = service.made.filter((each) => each.title === title)
      const verdict = judge({
        mayEnd: ['kept', 'unconfirmed'],
        row,
        creates: service.heardCreates.get(title) ?? 0,
        madeIds: made.map(({ objectId }) => objectId),
        fileIsWhole: wholeFile(last, row, service),
      })
      // One that was killed before it said that it has it, and that nobody else has, may be gone.
      const neverTaken = row === undefined && !acknowledged.has(title) && made.length === 0
      return { ...verdict, lost: verdict.lost && !neverTaken, title, seen: row?.state ?? 'gone' }
    })
    crashes += await last.crashes()
    await last.end()
    return { kills, met, verdicts, crashes }
  } finally {
    await service.stop()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

async function settle(mien: ChildMien): Promise<Row[]> {
  const until = Date.now() + 60_000
  for (;;) {
    const rows = await mien.rows()
    if (rows.every(({ state }) => ended.has(state)) || Date.now() > until) {
      // A second create would come within this time.
      await wait(1000)
      return mien.rows()
    }
    await wait(200)
  }
}
