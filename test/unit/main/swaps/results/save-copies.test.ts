import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { saveCopies, type ResultFile } from '../../../../../src/main/swaps/results/save-copies.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const inDir = tempPaths()
let folder: string

beforeEach(() => {
  folder = inDir('to')
  mkdirSync(folder)
})

/** A result of that content, each in its own folder. */
function result(number: number, name: string, content: string | Buffer = name): ResultFile {
  const path = inDir(String(number), name)
  mkdirSync(inDir(String(number)))
  writeFileSync(path, content)
  return { number, title: `Take ${String(number)}`, path, sizeBytes: content.length }
}
const copy = (files: ResultFile[]): ReturnType<typeof saveCopies> =>
  saveCopies(files, folder, { signal: new AbortController().signal, onProgress: () => undefined })
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

it('copies under their own names, and never over a file', async () => {
  writeFileSync(join(folder, 'a.mp4'), 'mine')
  const files = [result(1, 'a.mp4', 'one'), result(2, 'a.mp4', 'two'), result(3, 'b.png')]
  const outcome = await copy(files)
  expect(outcome).toEqual({ done: 3, failed: [], failedCount: 0, left: 0, problem: null })
  expect(readdirSync(folder).sort()).toEqual(['a 2.mp4', 'a 3.mp4', 'a.mp4', 'b.png'])
  expect([read('a.mp4'), read('a 2.mp4'), read('a 3.mp4')]).toEqual(['mine', 'one', 'two'])
})

it('names what is missing, and copies the rest', async () => {
  const files = [result(1, 'a.mp4'), result(2, 'b.mp4'), result(3, 'c.mp4')]
  rmSync(inDir('2'), { recursive: true })
  const outcome = await copy(files)
  expect(outcome).toMatchObject({ done: 2, failedCount: 1, left: 0, problem: null })
  expect(outcome.failed).toMatchObject([{ title: 'Take 2', error: { code: 'file-missing' } }])
})

it('ends at the first file when the folder can’t be written', async () => {
  const files = [result(1, 'a.mp4'), result(2, 'b.mp4')]
  rmSync(folder, { recursive: true })
  const outcome = await copy(files)
  expect(outcome).toMatchObject({ done: 0, failedCount: 0, left: 2, problem: { code: 'folder-missing' } })
})

it('stops where the user stops it, without a partial file', async () => {
  const abort = new AbortController()
  const files = [result(1, 'a.mp4'), result(2, 'b.mp4', Buffer.alloc(3_000_000)), result(3, 'c.mp4')]
  const shares: number[] = []
  const onProgress = ({ done, share }: { done: number; share: number }): void => {
    shares.push(share)
    if (done === 1) abort.abort()
  }
  const outcome = await saveCopies(files, folder, { signal: abort.signal, onProgress })
  // On a file system that clones files, the second one is complete before it can be stopped.
  expect([1, 2]).toContain(outcome.done)
  expect(outcome.left).toBe(3 - outcome.done)
  expect(readdirSync(folder)).toHaveLength(outcome.done)
  expect(shares).toEqual(shares.toSorted((a, b) => a - b))
})
