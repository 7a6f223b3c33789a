/** @file Real signals to the real command line, at every stage of its work. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { sample, shortClip } from '../fixtures/clip.ts'
import { jsonLines, output, startMien, type Ran } from '../fixtures/command.ts'
import { FakeService } from '../fixtures/fake-service.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { processesOf, type AppProcess } from '../fixtures/user-app.ts'
import { runWarm } from './warm.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
const dir = sharedDir()
let long: string
let short: string
/** Where runs have their folders. */
let temporary: string

beforeAll(async () => {
  long = await shortClip(join(dir, 'long.mp4'), 77)
  short = await shortClip(join(dir, 'short.mp4'), 5)
})
beforeEach(() => {
  temporary = mkdtempSync(join(dir, 'tmp-'))
})

const swapArgs = (out: string, video = long): string[] => [
  ...['swap', '--face', sample.face, '--video', video, '--out', out, '--json'],
]
/** No bus: a command line works without a keyring. */
const env = () => ({ TMPDIR: temporary, DBUS_SESSION_BUS_ADDRESS: 'disabled:' })

/** Sends a signal as soon as `when` is true of what the run has on disk and on stderr. */
async function interruptSwap(signal: NodeJS.Signals, out: string, when: (run: string, stderr: string) => boolean) {
  let stderr = ''
  const { child, ended } = startMien(swapArgs(out), {
    ...{ cwd: dir, env: env() },
    onProgress: (_, said) => (stderr = said),
  })
  const look = (): void => {
    const run = readdirSync(temporary).find((name) => name.startsWith('mien-run-'))
    expect(run !== undefined && when(join(temporary, run), stderr)).toBe(true)
  }
  const seen = vi.waitFor(look, { timeout: 100_000, interval: 5 })
  expect(await Promise.race([seen.then(() => 'seen'), ended])).toBe('seen')
  child.kill(signal)
  return ended
}

/** Sends a signal when a file of this name is made. The system keeps the event, however short the file's life was. */
async function interruptAtFile(signal: NodeJS.Signals, out: string, file: RegExp): Promise<Ran> {
  const { child, ended } = startMien(swapArgs(out, short), { cwd: dir, env: env() })
  const watcher = watch(dir, (_, name) => {
    if (name !== null && file.test(name)) child.kill(signal)
  })
  return ended.finally(() => watcher.close())
}

const cancelled = (ran: Ran): void => {
  expect(ran, ran.stderr).toMatchObject({ code: 130 })
  expect(jsonLines(ran)).toEqual([expect.objectContaining({ status: 'cancelled', output: null })])
  expect(ran.stderr).toContain('Cancelled')
}

const hasFile = (folder: string, name: RegExp): boolean =>
  existsSync(folder) && readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((path) => name.test(path))

describe('a swap that is interrupted', () => {
  const leavesNothing = (out: string): void => {
    expect(existsSync(join(dir, out))).toBe(false)
    expect(readdirSync(dir).filter((name) => name.includes('.part'))).toEqual([])
    // Chromium may write behind the end of its process, but no video is left.
    expect(hasFile(temporary, /library\.db|settings\.json|\.mp4$/)).toBe(false)
  }

  it.each(signals)('by %s in the middle ends with 130, and leaves nothing', { tags: ['long'] }, async (signal) => {
    cancelled(await interruptSwap(signal, 'middle.mp4', (_, stderr) => stderr.includes('frames')))
    leavesNothing('middle.mp4')
  })

  it.each(['SIGHUP', 'SIGQUIT'] as const)(
    'by %s in the middle, with all of its group, and again by npm, ends with 130, says so in JSON, and leaves nothing',
    async (signal) => {
      let isSent = false
      const { child, ended } = startMien(swapArgs('twice.mp4'), {
        ...{ cwd: dir, env: env(), detached: true },
        onProgress: (pid, said) => {
          // Not again with what it prints at its end: a signal during the exit ends any process.
          if (isSent || !said.includes('frames')) return
          isSent = process.kill(-pid, signal)
          child.kill(signal)
        },
      })
      cancelled(await ended)
      leavesNothing('twice.mp4')
    },
  )

  it('before its service is up ends with 130', { tags: ['long'] }, async () => {
    cancelled(await interruptSwap('SIGINT', 'early.mp4', (run) => existsSync(join(run, 'library.db'))))
    expect(existsSync(join(dir, 'early.mp4'))).toBe(false)
  })

  it('while its inputs are read or uploaded ends with 130', { tags: ['long'] }, async () => {
    const isServing = (run: string): boolean => hasFile(join(run, 'service'), /^assets/)
    cancelled(await interruptSwap('SIGTERM', 'upload.mp4', isServing))
    expect(existsSync(join(dir, 'upload.mp4'))).toBe(false)
  })

  it('while it saves is either saved whole or not at all', async () => {
    writeFileSync(join(dir, 'older.mp4'), 'an older file')
    const ran = await interruptAtFile('SIGINT', 'older.mp4', /^mien-.*\.part$/)
    const isSaved = ran.code === 0
    if (!isSaved) cancelled(ran)
    expect(readFileSync(join(dir, 'older.mp4'), 'utf8') === 'an older file').toBe(!isSaved)
    expect(readdirSync(dir).filter((name) => name.includes('.part'))).toEqual([])
  })

  it('by SIGKILL leaves no process that goes on', { tags: ['long'] }, async () => {
    const ran = await interruptSwap('SIGKILL', 'killed.mp4', (_, stderr) => stderr.includes('frames'))
    expect(ran.code).toBeNull()
    await vi.waitFor(() => expect(hasFile(temporary, /library\.db/)).toBe(false), { timeout: 30_000 })
    expect(existsSync(join(dir, 'killed.mp4'))).toBe(false)
  })

  it.runIf(process.platform === 'linux')(
    'before it can report that itself, ends the same',
    { tags: ['long'] },
    async () => {
      const { child, ended } = startMien(swapArgs('early.mp4'), { cwd: dir, env: env() })
      // The first process listens before it starts the second one, which alone leads a session.
      const isSecond = ({ pid, parent }: AppProcess): boolean =>
        parent === child.pid &&
        readFileSync(`/proc/${String(pid)}/status`, 'utf8').includes(`\nNSsid:\t${String(pid)}\n`)
      const look = (): void => {
        expect(processesOf('early.mp4').some(isSecond)).toBe(true)
      }
      await vi.waitFor(look, { timeout: 60_000, interval: 5 })
      child.kill('SIGINT')
      cancelled(await ended)
    },
  )
})

describe('a signal to the script that starts Mien', { tags: ['long'] }, () => {
  it.each([
    ['node scripts/mien.mjs', 'SIGINT', process.execPath, ['scripts/mien.mjs']],
    ['node scripts/mien.mjs', 'SIGTERM', process.execPath, ['scripts/mien.mjs']],
    ['npm run mien', 'SIGTERM', 'npm', ['run', '-s', 'mien', '--']],
  ] as const)('%s: %s ends the swap', async (_what, signal, program, args) => {
    const out = join(dir, `script-${signal}.mp4`)
    const all = [...args, ...swapArgs(out)]
    const child = spawn(program, all, { cwd: root, env: { ...process.env, ...env() } })
    let isSent = false
    const ran = await output(child, (_pid, said) => {
      if (!isSent && said.includes('frames')) isSent = child.kill(signal)
    })
    if (program === 'npm') expect(ran.code).not.toBe(0)
    else cancelled(ran)
    expect(existsSync(out)).toBe(false)
    // Nothing goes on behind the script's end.
    await vi.waitFor(() => expect(hasFile(temporary, /library\.db/)).toBe(false), { timeout: 30_000 })
  })
})

describe('a command of the library that is interrupted', () => {
  it.each(['SIGTERM'] as const)('watch: %s ends it with 130 while the swap stays', async (signal) => {
    const service = await new FakeService().start()
    try {
      service.acceptSwaps()
      const data = ['--data-dir', join(temporary, 'data'), '--json']
      await runWarm(['profile', 'add', 'A', '--base-url', service.baseUrl, ...data], { cwd: dir })
      await runWarm(['key', 'set', '--profile', 'A', ...data], { cwd: dir, input: 'sk-of-the-agency' })
      const sent = await runWarm(
        ['submit', '--profile', 'A', '--face', sample.face, '--video', sample.video, ...data],
        { cwd: dir },
      )
      expect(jsonLines(sent)).toMatchObject([{ state: 'waiting' }])
      const { child, ended } = startMien(['watch', ...data], { cwd: dir })
      child.stdout?.once('data', () => child.kill(signal))
      const ran = await ended
      expect(ran, ran.stderr).toMatchObject({ code: 130 })
      expect(jsonLines(ran).at(-1)).toMatchObject({ status: 'cancelled' })
      expect(ran.stderr).toContain('sent to a service continue there')
      expect(jsonLines(await runWarm(['list', ...data], { cwd: dir }))).toHaveLength(1)
    } finally {
      await service.stop()
    }
  })
})
