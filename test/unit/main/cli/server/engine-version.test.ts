import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { engineVersion } from '../../../../../src/main/cli/server/engine-version.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

it('changes with the content of files, their names, their folders and the facts, not with where they are', async () => {
  const dir = tempDir()
  const [engine, models] = [join(dir, 'engine'), join(dir, 'models')]
  mkdirSync(join(engine, 'assets'), { recursive: true })
  mkdirSync(models)
  writeFileSync(join(engine, 'assets', 'job.js'), 'draw()')
  writeFileSync(join(models, 'face.tflite'), 'weights')
  const version = (from = engine, chromium = '146'): Promise<string> => engineVersion([from, models], [chromium])
  const first = await version()
  expect(first).toMatch(/^[0-9a-f]{16}$/)
  expect(await version()).toBe(first)
  renameSync(engine, join(dir, 'elsewhere'))
  const moved = join(dir, 'elsewhere')
  expect(await version(moved)).toBe(first)
  const seen = new Set([first, await version(moved, '147')])
  writeFileSync(join(models, 'face.tflite'), 'other weights')
  seen.add(await version(moved))
  renameSync(join(moved, 'assets', 'job.js'), join(moved, 'assets', 'work.js'))
  seen.add(await version(moved))
  seen.add(await engineVersion([models, moved], ['146']))
  expect(seen.size).toBe(5)
})
