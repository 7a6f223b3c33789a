import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { removeLeftRuns } from '../../../../../src/main/cli/standalone/run-folder.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const inDir = tempPaths()
/** A process that is over. */
let gone: number
beforeEach(() => {
  gone = spawnSync(process.execPath, ['-e', '']).pid
})

const left = (pid: number, name: string): string => {
  const path = inDir(`mien-run-${String(pid)}-${name}`)
  mkdirSync(path)
  writeFileSync(join(path, 'f'), '')
  return path
}

it('removes what a run left that is over, and nothing of one that is not', () => {
  const [over, under] = [left(gone, 'a'), left(process.pid, 'b')]
  removeLeftRuns(inDir())
  expect([over, under].map((path) => existsSync(path))).toEqual([false, true])
})

it('leaves alone what only has such a name: a link, a file', () => {
  const kept = inDir('kept')
  mkdirSync(kept)
  symlinkSync(kept, inDir(`mien-run-${String(gone)}-link`))
  writeFileSync(inDir(`mien-run-${String(gone)}-file`), '')
  removeLeftRuns(inDir())
  const names = [`mien-run-${String(gone)}-file`, `mien-run-${String(gone)}-link`]
  expect(readdirSync(inDir()).sort()).toEqual(['kept', ...names])
})

it.runIf(process.getuid?.() === 0)('leaves another user’s folder alone', () => {
  const others = left(gone, 'others')
  chownSync(others, 65534, 65534)
  removeLeftRuns(inDir())
  expect(existsSync(others)).toBe(true)
})
