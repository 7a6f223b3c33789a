/** @file `mien mend`: weak parts of a finished swap are listed and swapped again by commands, with the real engine. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { WeakPart } from '../../src/shared/engine/engine.ts'
import { sample, shortClip } from '../fixtures/clip.ts'
import { jsonLines, type Ran } from '../fixtures/command.ts'
import { mediaFacts, type MediaFacts } from '../fixtures/media-facts.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { fillLibrary } from './seeded.ts'
import { runWarm } from './warm.ts'

const dir = sharedDir()
let id: string

const mien = (args: string[]): Promise<Ran> =>
  runWarm([...args, '--data-dir', 'library'], { cwd: dir, env: { DBUS_SESSION_BUS_ADDRESS: 'disabled:' } })

interface Listed {
  result: string
  version: number
  weak: (Partial<WeakPart> & { person: string })[]
  versions: { version: number; change: object | null }[]
}
/** The answer of a command that has to succeed. */
async function mend(...args: string[]): Promise<Listed> {
  const ran = await mien(['mend', id.slice(0, 8), ...args, '--json'])
  expect(ran, ran.stderr).toMatchObject({ code: 0 })
  return jsonLines(ran)[0] as unknown as Listed
}

const results = (): string => join(dir, 'library', 'results')
const facts = (): Promise<MediaFacts> =>
  mediaFacts(join(results(), readdirSync(results()).find((name) => name.endsWith('.mp4')) ?? ''))

/** Adds a weak part to the swap, as a harder video would have it. */
function addWeakPart(part: WeakPart): void {
  fillLibrary(join(dir, 'library'), (store) => {
    const task = store.get(id)
    if (!task?.result) throw new Error('the swap is finished')
    store.putWithOutbox({ ...task, result: { ...task.result, weak: [part] } }, null)
  })
}

beforeAll(async () => {
  const clip = await shortClip(join(dir, 'clip.mp4'))
  const swap = ['submit', '--profile', 'This computer', '--face', sample.face, '--target', clip, '--wait', '--json']
  const ran = await mien(swap)
  expect(ran, ran.stderr).toMatchObject({ code: 0 })
  id = String(jsonLines(ran)[0]?.['id'])
})

it('lists weak parts with the times that --from and --to take, leaves one as it was, and goes back', async () => {
  addWeakPart({ kind: 'covered', face: 0, fromMs: 400, toMs: 643, frames: 6 })
  const text = await mien(['mend', id])
  expect(text.stdout).toMatch(/^0:00\.400 {2}0:00\.643 .*Covered\n\* Version 1 /)
  const [before, first] = [await mend(), await facts()]
  expect(before).toMatchObject({
    version: 1,
    weak: [{ kind: 'covered', person: 'p1', fromMs: 400, toMs: 643, frames: 6 }],
    versions: [{ version: 1, change: null }],
  })

  const left = await mend('--from', '0:00.400', '--to', '0:00.643', '--leave')
  expect(left).toMatchObject({ version: 2, weak: [], versions: [{}, { change: { kind: 'left', fromMs: 400 } }] })
  const second = await facts()
  expect(second.frameTimes).toEqual(first.frameTimes)
  const changed = first.frames.flatMap((frame, at) => (frame === second.frames[at] ? [] : [at]))
  expect(changed.slice(0, 7)).toEqual([10, 11, 12, 13, 14, 15, 16])

  expect(await mend('--undo')).toMatchObject({ version: 1, weak: [{ kind: 'covered' }] })
  expect((await facts()).frames).toEqual(first.frames)
  expect(await mend('--version', '2')).toMatchObject({ version: 2 })
  expect((await facts()).frames).toEqual(second.frames)
})

it('swaps a part again as told, from its start to the end of the video', async () => {
  const again = await mend('--from', '0.6', '--likeness', '0', '--face', sample.face)
  expect(again).toMatchObject({
    version: 3,
    versions: [{}, {}, { change: { kind: 'swapped', fromMs: 600, toMs: 1000 } }],
  })
})

it.each([
  ['a swap that isn’t there', ['mend', 'ffffffff'], 5, /can’t be found/],
  ['a version that isn’t there', ['mend', 'ID', '--version', '9'], 2, /no version 9/],
  ['a person who isn’t swapped', ['mend', 'ID', '--from', '0', '--cast', '2=a.jpg'], 3, /“2”/],
  ['a part after the end', ['mend', 'ID', '--from', '1:00', '--leave'], 3, /part/],
  ['a face that isn’t there', ['mend', 'ID', '--from', '0', '--face', 'no.jpg'], 3, /no\.jpg/],
])('%s is refused', async (_what, args, code, message) => {
  const ran = await mien(args.map((word) => (word === 'ID' ? id : word)))
  expect(ran.code, ran.stderr).toBe(code)
  expect(ran.stderr).toMatch(message)
})
