/** @file Whether a window holds a library, by Chromium's lock files. */
import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mayBeOpen } from '../../../../../src/main/cli/library/window-lock.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

const locked = (pid: number): string => {
  const dir = tempDir()
  symlinkSync(`a-computer-${String(pid)}`, join(dir, 'SingletonLock'))
  return dir
}

it('is open while its process runs, and not after a crash or without a lock', () => {
  expect(mayBeOpen(locked(process.pid), 'linux')).toBe(true)
  expect(mayBeOpen(locked(spawnSync(process.execPath, ['--version']).pid), 'linux')).toBe(false)
  expect(mayBeOpen(tempDir(), 'darwin')).toBe(false)
})

it('is open on Windows while the lock file is there', () => {
  const dir = tempDir()
  expect(mayBeOpen(dir, 'win32')).toBe(false)
  writeFileSync(join(dir, 'lockfile'), '')
  expect(mayBeOpen(dir, 'win32')).toBe(true)
})
