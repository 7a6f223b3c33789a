/** @file What must hold whatever happens to swaps. */
import { expect } from 'vitest'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { embeddedProfileId, isActive, type PauseReason, type Task } from '@shared/tasks/task.ts'
import { online, onlineLimit, type World } from './world.ts'

/** Pauses that end without the user. */
const triedAgain: readonly PauseReason[] = ['no-network', 'disk-full', 'limit']

const isWith = ({ state, pause }: Task): boolean => (state === 'waiting' || state === 'processing') && pause !== 'user'

/** Nothing was sent twice, and what can be sent has been. To be asked when nothing is under way. */
export function checkAlways(world: World): void {
  const keys = world.online.jobs.map((job) => job.idempotencyKey)
  expect(new Set(keys).size, 'one job for each create').toBe(keys.length)
  for (const profileId of [online, embeddedProfileId]) {
    const tasks = world.store.all().filter((task) => task.profileId === profileId)
    // Somebody is being served; what comes after waits for its turn.
    const isBusy = tasks.some(
      ({ id, state }) =>
        state === 'submitting' ||
        state === 'uploading' ||
        (state === 'queued' && world.store.entry(id)?.sentAt != null),
    )
    const waitsForAnswer = world.store.unanswered().some(({ task }) => task.profileId === profileId)
    const isFull = tasks.filter(isWith).length >= onlineLimit
    if (isBusy || waitsForAnswer || isFull || world.pausedQueues.has(profileId)) continue
    // They are sent in the user's order, so the first one counts. One that is tried again later holds up the others.
    const [first] = tasks
      .filter(({ state, pause }) => state === 'queued' && (pause === null || triedAgain.includes(pause)))
      .sort((a, b) => (a.position ?? 0) - (b.position ?? 0))
    if (!first) continue
    const entry = world.store.entry(first.id)
    const waits = entry !== null && entry.notBefore > Date.now()
    expect(waits, `nothing of ${profileId} is stuck: ${first.id} ${first.pause ?? ''}`).toBe(true)
  }
}

/** Everything that stood in the way is gone; time passes until nothing is left to do. */
export async function drain(world: World): Promise<void> {
  world.online.isDown = false
  world.online.fate = 'created'
  world.engine.fate = 'done'
  world.engine.release()
  world.online.release()
  world.pausedQueues.clear()
  await world.clock.settle()
  for (const profileId of [online, embeddedProfileId]) await world.tasks.pauses.pausedService(profileId, false)
  for (let round = 0; round < 40; round += 1) {
    // Mien has to end the others itself.
    const owned = new Set(world.all().flatMap(({ objectId }) => objectId ?? []))
    for (const job of world.online.jobs)
      if (!world.online.isEnded(job) && job.isListed && owned.has(job.objectId)) job.status = 'completed'
    const active = world.store.all().filter(({ state }) => isActive(state))
    if (active.length === 0 && world.store.jobsToEnd.soonest(1).length === 0 && world.store.unanswered().length === 0)
      return
    world.tasks.pauses.resume(active.map(({ id }) => id))
    await world.clock.settle()
    await world.clock.pass(round < 10 ? 4000 : 600_000, round < 10 ? 1000 : 100_000)
  }
}

/** Nothing is stuck, and nothing is on a disk or at a service that no swap owns. */
export async function checkAtTheEnd(world: World): Promise<void> {
  const said = (tasks: readonly Task[]): string[] =>
    tasks.map(({ profileId, state, pause, error }) => `${profileId} ${state} ${pause ?? ''} ${error?.code ?? ''}`)
  const log = world.logged.slice(-20).join('\n')
  expect(said(world.store.all().filter(({ state }) => isActive(state))), `nothing is stuck; the log:\n${log}`).toEqual(
    [],
  )
  expect(world.store.jobsToEnd.soonest(9), 'every job that nobody needs is ended').toEqual([])

  // At the next start what was removed is forgotten, and what was cancelled is deleted; uploads are kept for a day.
  await world.quit()
  await world.clock.pass(25 * 3_600_000, 25 * 3_600_000)
  await world.open()
  await world.clock.pass(2000, 500)
  const tasks = world.all()
  const owned = new Set(tasks.flatMap(({ objectId }) => objectId ?? []))
  const unconfirmed = tasks.filter(({ state }) => state === 'unconfirmed')
  expect(
    tasks.filter(({ state, id }) => state !== 'unconfirmed' && world.store.entry(id) !== null).map(({ id }) => id),
    'no entry is left for what is over',
  ).toEqual([])

  const kept = tasks.filter(({ state }) => state === 'kept')
  expect(
    world.files(world.results).filter((name) => /\.part/.test(name)),
    'no half download is left',
  ).toEqual([])
  expect(world.files(world.results).length, 'each finished swap has a file').toBeGreaterThanOrEqual(kept.length)

  // Only what failed and can be resumed has a folder at the embedded service.
  const failed = new Set(tasks.flatMap(({ state, objectId }) => (state === 'failed' ? (objectId ?? []) : [])))
  expect(
    world.files(join(world.service, 'jobs')).filter((name) => !failed.has(name)),
    'no folder is left that nobody owns',
  ).toEqual([])

  // A service that can neither cancel nor be asked again may have jobs that nobody knows of.
  if (world.online.canEnd && world.online.canBeAskedAgain) {
    const lost = world.online.jobs.filter((job) => !world.online.isEnded(job) && !owned.has(job.objectId))
    expect(
      lost.map(({ objectId }) => objectId),
      'no job runs that nobody wants',
    ).toEqual([])
    expect(unconfirmed, 'a service that can be asked again leaves nothing unclear').toEqual([])
  }

  const entries = tasks.map(({ id }) => JSON.stringify(world.store.entry(id)))
  await world.quit()
  const left = uploads(world, 'NOT EXISTS (SELECT 1 FROM asset_uses u WHERE u.asset_id = assets.id)')
  expect(
    left.filter((id) => !entries.some((entry) => entry.includes(id))),
    'no upload is left that nobody owns',
  ).toEqual([])
}

/** Ids of uploads at the embedded service. */
function uploads(world: World, condition: string): string[] {
  const db = new DatabaseSync(join(world.service, 'service.db'), { readOnly: true })
  const rows = db.prepare(`SELECT id FROM assets WHERE ${condition}`).all()
  db.close()
  return rows.map((row) => String(row['id']))
}
