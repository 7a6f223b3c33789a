import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import type { UpdateState } from '@shared/ipc/app-state.ts'
import type { SignedFeed } from '../../../../../src/main/app/updates/feed.ts'
import { UpdateService, type UpdateChoices } from '../../../../../src/main/app/updates/update-service.ts'
import type { Downloaded, FeedPlace, UpdaterPort } from '../../../../../src/main/app/updates/updater-port.ts'

const feed: SignedFeed = {
  ...{ format: 1, app: 'mien', feed: 'latest-linux', version: '1.1.0', notes: '- Faster' },
  ...{ date: '2026-11-19T12:00:00.000Z', expires: '2027-02-19T12:00:00.000Z' },
  files: [{ name: 'Mien.AppImage', sha512: 'A'.repeat(88), size: 120 }],
}
const stable = { address: 'https://x.example', channel: 'stable' } as const
const beta = { address: 'https://y.example', channel: 'beta' } as const
const hourMs = 3_600_000

/** The world around the service: what a feed answers, what was done. */
class World implements UpdaterPort {
  answer: SignedFeed | null | Error = null
  betaAnswer: SignedFeed | null | Error = null
  asked: string[] = []
  failure: Error | null = null
  looks = 0
  lookedAt = 0
  installed: boolean[] = []
  quits = 0
  working = false
  states: UpdateState['kind'][] = []
  choices: UpdateChoices = { off: null, places: [stable], download: false }
  readonly service: UpdateService

  constructor() {
    const log = { info: () => undefined, warn: () => undefined }
    this.service = new UpdateService({
      ...{ port: this, choices: () => this.choices, working: () => this.working, installsOnQuit: true, log },
      onState: ({ kind }) => this.states.push(kind),
      quit: () => (this.quits += 1),
    })
  }

  check = async ({ channel }: FeedPlace) => {
    this.looks += 1
    this.lookedAt = Date.now()
    this.asked.push(channel)
    const answer = channel === 'beta' ? this.betaAnswer : this.answer
    if (answer instanceof Error) throw answer
    return answer
  }
  download = async (onShare: (share: number) => void): Promise<Downloaded> => {
    onShare(0.5)
    if (this.failure) throw this.failure
    return { file: '/tmp/Mien.AppImage', feed, text: '' }
  }
  install = async (_update: Downloaded, restart: boolean) => {
    if (this.failure) throw this.failure
    this.installed.push(restart)
  }
}

let world: World
beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  world = new World()
})
afterEach(() => {
  world.service.dispose()
})

describe('the updates', () => {
  it('look soon after the start, then every six hours, and stop with the app', async () => {
    world.service.start()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(world.looks).toBe(1)
    await vi.advanceTimersByTimeAsync(24 * hourMs)
    expect(world.looks).toBe(5)
    world.service.dispose()
    await vi.advanceTimersByTimeAsync(24 * hourMs)
    expect(world.looks).toBe(5)
    expect(world.service.state).toEqual({ kind: 'idle', checkedAt: world.lookedAt })
  })

  it('are silent without a network, and loud when they were asked', async () => {
    world.answer = new Error('net::ERR_INTERNET_DISCONNECTED')
    await world.service.check(false)
    expect(world.service.state).toEqual({ kind: 'idle', checkedAt: null })
    await world.service.check(true)
    expect(world.service.state).toMatchObject({ kind: 'failed', error: { code: 'update-unreachable' } })
  })

  it('ask before they download, unless they need not', async () => {
    world.answer = feed
    await world.service.check(false)
    expect(world.states).toEqual(['checking', 'available'])
    world = new World()
    world.answer = feed
    world.choices = { ...world.choices, download: true }
    await world.service.check(false)
    expect(world.states).toEqual(['checking', 'available', 'downloading', 'downloading', 'ready'])
  })

  it('keep what is ready through later looks', async () => {
    world.answer = feed
    await world.service.check(true)
    await world.service.download()
    await world.service.check(false)
    expect(world.looks).toBe(1)
    expect(world.service.state).toMatchObject({ kind: 'ready', waiting: false })
  })

  it.each(['development', 'policy', 'settings', 'not-updatable'] as const)('never look when off: %s', async (off) => {
    world.choices = { ...world.choices, off }
    world.service.start()
    await world.service.check(true)
    await vi.advanceTimersByTimeAsync(12 * hourMs)
    expect([world.looks, world.service.state]).toEqual([0, { kind: 'off', reason: off }])
  })

  it('begin again when the user turns them on', () => {
    world.choices = { ...world.choices, off: 'settings' }
    world.service.start()
    world.choices = { ...world.choices, off: null }
    world.service.settingsChanged()
    expect(world.service.state).toEqual({ kind: 'idle', checkedAt: null })
  })
})

describe('the beta channel', () => {
  beforeEach(() => {
    world.choices = { ...world.choices, places: [stable, beta] }
  })

  const newer: SignedFeed = { ...feed, version: '1.2.0-beta.1' }
  const older: SignedFeed = { ...feed, version: '1.1.0-beta.1' }
  const missing = new MienError('update-unreachable')
  it.each<[string, SignedFeed | null | Error, SignedFeed | null | Error, string | null, string[]]>([
    ['the beta version', feed, newer, '1.2.0-beta.1', ['stable', 'beta']],
    ['the release that overtook it', feed, older, '1.1.0', ['stable', 'beta', 'stable']],
    ['the release where there is no beta version', feed, missing, '1.1.0', ['stable', 'beta', 'stable']],
    ['the beta version where there is no release', missing, newer, '1.2.0-beta.1', ['stable', 'beta']],
    ['nothing', null, missing, null, ['stable', 'beta']],
  ])('brings %s', async (_what, release, betaRelease, version, asked) => {
    world.answer = release
    world.betaAnswer = betaRelease
    await world.service.check(true)
    const { state } = world.service
    expect(state.kind).toBe(version === null ? 'idle' : 'available')
    expect('offer' in state ? state.offer.version : null).toBe(version)
    expect(world.asked).toEqual(asked)
  })

  it('cannot be reached when neither place can', async () => {
    world.answer = missing
    world.betaAnswer = missing
    await world.service.check(true)
    expect(world.service.state).toMatchObject({ kind: 'failed', error: { code: 'update-unreachable' } })
  })

  it('is believed only with a signature, too', async () => {
    world.betaAnswer = new MienError('update-signature')
    await world.service.check(false)
    expect(world.service.state).toMatchObject({ kind: 'failed', error: { code: 'update-signature' } })
  })
})

describe('an update that is ready', () => {
  beforeEach(async () => {
    world.answer = feed
    await world.service.check(true)
    await world.service.download()
  })

  it('is put in place at the quit, without a restart', async () => {
    await world.service.finish()
    expect(world.installed).toEqual([false])
  })

  it('restarts at once when nothing runs', async () => {
    world.service.restartWhenIdle()
    expect(world.quits).toBe(1)
    await world.service.finish()
    expect(world.installed).toEqual([true])
  })

  it('waits for the swap that runs', () => {
    world.working = true
    world.service.restartWhenIdle()
    world.service.swapsChanged()
    expect([world.quits, world.service.state]).toMatchObject([0, { kind: 'ready', waiting: true }])
    world.working = false
    world.service.swapsChanged()
    expect(world.quits).toBe(1)
  })

  it('that cannot be put in place lets Mien end all the same', async () => {
    world.failure = new MienError('update-damaged')
    await expect(world.service.finish()).resolves.toBeUndefined()
  })
})

it('tells why it was not fetched', async () => {
  world.answer = feed
  world.failure = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  await world.service.check(true)
  await world.service.download()
  expect(world.service.state).toMatchObject({ kind: 'failed', error: { code: 'disk-full' } })
})
