/** @file What can happen to swaps, one step at a time, for random sequences. */
import fc from 'fast-check'
import { embeddedProfileId, type Task } from '@shared/tasks/task.ts'
import type { EngineFate } from './engine.ts'
import type { CreateFate } from './online-service.ts'
import { online, type World } from './world.ts'

export interface Action {
  run: (world: World) => Promise<void> | void
  toString: () => string
}

const action = (name: string, run: Action['run']): Action => ({ run, toString: () => name })

/** The n-th swap, counted around; removed ones too. */
const pick = (world: World, n: number): Task | undefined => {
  const all = world.all()
  return all[n % Math.max(1, all.length)]
}

const which = fc.nat({ max: 5 })

const onSwap = (name: string, run: (world: World, id: string) => void): fc.Arbitrary<Action> =>
  which.map((n) =>
    action(`${name} ${String(n)}`, (world) => {
      const task = pick(world, n)
      if (task) run(world, task.id)
    }),
  )

const submit = fc.constantFrom(online, embeddedProfileId, embeddedProfileId).map((profileId) =>
  action(`submit ${profileId}`, (world) => {
    if (world.all().length < 6) world.submit(profileId)
  }),
)

/** What is hardest to keep track of: a create that is not answered yet when its swap is cancelled. */
const cancelInFlight = fc.constant(
  action('submit online, and cancel before the answer', async (world) => {
    if (world.all().length >= 6) return
    world.online.fate = 'hold'
    const id = world.submit(online)
    await world.clock.settle()
    world.tasks.cancel([id])
  }),
)

const withdraw = fc.constant(action('withdraw the consent', (world) => world.withdraw()))

/** A create without an answer, which is to be asked again when the face may no longer be used. */
const withdrawUnanswered = fc.constant(
  action('submit online, lose the answer, and withdraw the consent', async (world) => {
    if (world.all().length >= 6) return
    world.online.fate = 'lost'
    world.submit(online)
    await world.clock.settle()
    world.withdraw()
  }),
)

const users: fc.Arbitrary<Action>[] = [
  cancelInFlight,
  cancelInFlight,
  withdraw,
  withdrawUnanswered,
  withdrawUnanswered,
  submit,
  submit,
  onSwap('cancel', (world, id) => world.tasks.cancel([id])),
  onSwap('retry', (world, id) => world.tasks.retry(id)),
  onSwap('cancel and retry', (world, id) => {
    world.tasks.cancel([id])
    world.tasks.retry(id)
  }),
  onSwap('pause', (world, id) => world.tasks.pauses.pause([id])),
  onSwap('resume', (world, id) => world.tasks.pauses.resume([id])),
  onSwap('remove', (world, id) => world.tasks.remove([id])),
  onSwap('restore', (world, id) => world.tasks.restore([id])),
  fc.tuple(which, fc.constantFrom('send-again' as const, 'do-not-send' as const)).map(([n, decision]) =>
    action(`${decision} ${String(n)}`, (world) => {
      const task = pick(world, n)
      if (task?.state === 'unconfirmed') world.tasks.decide(task.id, decision)
    }),
  ),
  fc.tuple(fc.constantFrom(online, embeddedProfileId), fc.boolean()).map(([profileId, paused]) =>
    action(`${paused ? 'pause' : 'resume'} the queue of ${profileId}`, async (world) => {
      if (paused) world.pausedQueues.add(profileId)
      else world.pausedQueues.delete(profileId)
      await world.tasks.pauses.pausedService(profileId, paused)
    }),
  ),
]

const fates: readonly CreateFate[] = [
  'created',
  'created',
  'hold',
  'hold',
  'lost',
  'refused',
  'too-many',
  'unreachable',
]
const engineFates: readonly EngineFate[] = ['done', 'hold', 'hold', 'disk-full', 'engine-failed', 'no-face-in-picture']

const services: fc.Arbitrary<Action>[] = [
  fc.constantFrom(...fates).map((fate) =>
    action(`next creates: ${fate}`, (world) => {
      world.online.fate = fate
    }),
  ),
  fc.constant(action('answer held creates', (world) => world.online.release())),
  fc.boolean().map((isDown) =>
    action(isDown ? 'the online service goes down' : 'the online service is back', (world) => {
      world.online.isDown = isDown
    }),
  ),
  fc.tuple(which, fc.constantFrom('processing' as const, 'completed' as const, 'failed' as const)).map(([n, status]) =>
    action(`online job ${String(n)} is ${status}`, (world) => {
      const job = world.online.jobs[n % Math.max(1, world.online.jobs.length)]
      if (job && !world.online.isEnded(job)) job.status = status
    }),
  ),
  fc.tuple(which, fc.boolean()).map(([n, isListed]) =>
    action(`online job ${String(n)} is ${isListed ? 'listed' : 'not listed'}`, (world) => {
      const job = world.online.jobs[n % Math.max(1, world.online.jobs.length)]
      if (job) job.isListed = isListed
    }),
  ),
  fc.constantFrom(...engineFates).map((fate) =>
    action(`the engine: ${fate}`, (world) => {
      world.engine.fate = fate
      world.engine.release()
    }),
  ),
]

const time: fc.Arbitrary<Action>[] = [
  fc
    .constantFrom(100, 1000, 5000)
    .map((ms) => action(`${String(ms)} ms pass`, (world) => world.clock.pass(ms, ms / 5))),
  fc.constant(action('11 minutes pass', (world) => world.clock.pass(660_000, 60_000))),
  fc.constant(
    action('quit and start', async (world) => {
      await world.quit()
      await world.open()
    }),
  ),
  fc.constant(
    action('kill and start', async (world) => {
      await world.kill()
      await world.open()
    }),
  ),
]

export const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(...users) },
  { weight: 4, arbitrary: fc.oneof(...services) },
  { weight: 3, arbitrary: fc.oneof(...time) },
)
