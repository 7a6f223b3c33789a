import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it } from 'vitest'
import { notesOf } from '../../../scripts/lib/release-feed.mjs'
import { acceptFeed } from '../../../src/main/app/updates/feed.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'
import { updateKey } from '../../fixtures/update-key.ts'

const script = fileURLToPath(new URL('../../../scripts/release-sign.mjs', import.meta.url))
const { secret, shown } = updateKey()
const program = Buffer.from('a program')
const hash = createHash('sha512').update(program).digest('base64')

let dir: string
beforeEach(() => {
  dir = tempDir()
  writeFileSync(join(dir, 'Mien.AppImage'), program)
  const yml = `version: 1.1.0\nfiles:\n  - url: Mien.AppImage\n    sha512: ${hash}\n    size: 9\n    blockMapSize: 4\n`
  writeFileSync(join(dir, 'latest-linux.yml'), yml)
  writeFileSync(join(dir, 'builder-debug.yml'), 'x64: {}\n')
})

const sign = (env: Record<string, string>, ...args: string[]) =>
  spawnSync(process.execPath, [script, dir, ...args], { env: { ...process.env, ...env }, encoding: 'utf8' })
const own = { MIEN_RELEASE_KEY: secret, MIEN_BUILD_UPDATE_KEYS: shown }

it('signs what Mien then believes, for as long as it says', () => {
  const { status, stderr } = sign(own, '--days', '30')
  expect([status, stderr]).toEqual([0, 'Signed for 30 days: latest-linux.json\n'])
  const text = readFileSync(join(dir, 'latest-linux.json'), 'utf8')
  const context = { keys: [shown], feed: 'latest-linux', current: '1.0.0' }
  const feed = acceptFeed(text, { ...context, now: Date.now() })
  expect(feed).toMatchObject({
    version: '1.1.0',
    files: [{ name: 'Mien.AppImage', sha512: hash, size: 9, blockMapSize: 4 }],
  })
  expect(() => acceptFeed(text, { ...context, now: Date.now() + 31 * 24 * 3_600_000 })).toThrow('update-expired')
})

it.each<[string, Record<string, string>, RegExp]>([
  ['without a key', { MIEN_RELEASE_KEY: '' }, /MIEN_RELEASE_KEY is not set/],
  [
    'with a key that no Mien knows',
    { MIEN_RELEASE_KEY: secret, MIEN_BUILD_UPDATE_KEYS: '' },
    /none of the keys built into Mien/,
  ],
])('signs nothing %s', (_what, env, words) => {
  const { status, stderr } = sign(env)
  expect(status).not.toBe(0)
  expect(stderr).toMatch(words)
})

it('signs nothing where a file is another than the feed says', () => {
  writeFileSync(join(dir, 'Mien.AppImage'), 'b program')
  const { status, stderr } = sign(own)
  expect(status).not.toBe(0)
  expect(stderr).toContain('gives another hash for Mien.AppImage')
})

it('takes a version’s notes from the changelog', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- New\n\n## 1.0.0 (2026-01-01)\n\n### Added\n\n- Old\n'
  expect(notesOf(changelog, '1.0.0')).toBe('### Added\n\n- Old')
  expect(notesOf(changelog, '2.0.0')).toBe('- New')
})
