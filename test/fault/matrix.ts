/** @file Runs cases against one Mien, all at once, each with a service of its own, and judges each. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from './cases.ts'
import type { Mien, Row } from './driver.ts'
import type { Hosts } from './hosts.ts'
import { judge, type Verdict } from './judge.ts'
import { FaultyService } from './faulty-service.ts'
import { isFilm } from './kept-film.ts'

export interface CaseResult extends Verdict {
  name: string
  fault: string
  /** For the reader of a failure. */
  seen: string
  played: number
}

const ended = new Set(['kept', 'failed', 'cancelled', 'missing', 'unconfirmed'])

interface Running {
  each: Case
  service: FaultyService
  profileId: string
  key: string
  title: string
  endedAt: number | null
}

export const keyPrefix = 'sk-fault-secret-'

export interface MatrixTimes {
  /** For the whole run. */
  deadlineMs: number
  /** A second create would come within this time. */
  graceMs: number
  /** How long an address is wrong. */
  wrongMs: number
}

/** `seen` of the fault's own host must stay without keys; the caller looks at `hosts.heard()`. */
export async function runMatrix(
  mien: Mien,
  cases: readonly Case[],
  hosts: Hosts,
  { deadlineMs, graceMs, wrongMs }: MatrixTimes,
): Promise<CaseResult[]> {
  const all = await Promise.all(cases.map((each, index) => begin(mien, each, index, hosts, wrongMs)))
  const until = Date.now() + deadlineMs
  let rows: Row[] = []
  for (;;) {
    rows = await mien.rows()
    const byTitle = new Map(rows.map((row) => [row.title, row]))
    for (const run of all) await attend(mien, run, byTitle.get(run.title))
    const open = all.filter((run) => run.endedAt === null || Date.now() - run.endedAt < graceMs)
    if (open.length === 0 || Date.now() > until) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  rows = await mien.rows()
  const results = all.map((run) => resultOf(mien, run, rows))
  await Promise.all(all.map(({ service }) => service.stop()))
  return results
}

async function begin(mien: Mien, each: Case, index: number, hosts: Hosts, wrongMs: number): Promise<Running> {
  const run: Running = {
    each,
    service: new FaultyService({
      key: () => run.key,
      other: hosts.other,
      trouble: each.wire
        ? { point: each.point, play: each.wire.play, times: each.wire.times ?? 1, refuses: each.wire.refuses ?? false }
        : null,
    }),
    profileId: '',
    key: `${keyPrefix}${String(index)}`,
    title: `${each.name} ${String(index)}`,
    endedAt: null,
  }
  await run.service.start()
  const wrong = each.address === null ? null : hosts.wrong[each.address]
  if (wrong !== null && (each.point === 'result' || each.point === 'cover')) {
    const part = each.point === 'result' ? '/out/' : '/cover/'
    run.service.addresses = (url) => (url.includes(part) ? url.replace(run.service.baseUrl, wrong) : url)
  }
  const first = wrong !== null && each.point === 'capabilities' ? wrong : run.service.baseUrl
  run.profileId = await mien.addService({ name: run.title, baseUrl: first, key: run.key })
  await mien.submit(run.profileId, run.title)
  const mend = (): void => {
    setTimeout(() => void mien.setBase(run.profileId, run.service.baseUrl), wrongMs)
  }
  if (wrong !== null && each.point === 'capabilities') mend()
  if (wrong !== null && each.point === 'watch')
    run.service.onLook = () => {
      run.service.played += 1
      void mien.setBase(run.profileId, wrong).then(mend)
    }
  return run
}

/** What a person would do: give a new key where one is asked for; wait otherwise. */
async function attend(mien: Mien, run: Running, row: Row | undefined): Promise<void> {
  if (row && ended.has(row.state)) run.endedAt ??= Date.now()
  else run.endedAt = null
  const gaveUp = row?.error != null || row?.state === 'kept'
  if (run.service.addresses && gaveUp) run.service.addresses = null
  if (row?.pause === 'key' && !run.key.endsWith('-new')) {
    run.key += '-new'
    await mien.setKey(run.profileId, run.key)
  }
}

function resultOf(mien: Mien, { each, service, title }: Running, rows: readonly Row[]): CaseResult {
  const row = rows.find((one) => one.title === title)
  const verdict = judge({
    mayEnd: each.mayEnd,
    row,
    creates: service.heardCreates.get(title) ?? 0,
    madeIds: service.made.map(({ objectId }) => objectId),
    fileIsWhole: wholeFile(mien, row, service),
  })
  const seen = row ? `${row.state} ${row.pause ?? ''} ${row.error ?? ''}`.trim() : 'gone'
  return { ...verdict, name: each.name, fault: each.fault, seen, played: service.played }
}

export function wholeFile(mien: { resultsDir: string }, row: Row | undefined, service: FaultyService): boolean | null {
  if (row?.fileName == null) return null
  try {
    return isFilm(readFileSync(join(mien.resultsDir, row.fileName)), service.video)
  } catch {
    return false
  }
}
