/** @file What a swap from the command line is refused for before any work. */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { parseCommand } from '../../../../../src/main/cli/args/args.ts'
import { runSwap } from '../../../../../src/main/cli/standalone/swap-command.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

const openRun = vi.hoisted(() => vi.fn())
vi.mock('electron', () => ({ app: {} }))
vi.mock('../../../../../src/main/cli/standalone/run-context.ts', () => ({ openRun }))

it('a result that is its input', async () => {
  const dir = tempDir()
  for (const name of ['face.jpg', 'precious.mp4']) writeFileSync(join(dir, name), name)
  symlinkSync(join(dir, 'precious.mp4'), join(dir, 'link.mp4'))
  const args = ['swap', '--face', 'face.jpg', '--video', 'precious.mp4', '--out', 'link.mp4']
  const command = parseCommand(args, dir)
  if (command.command !== 'swap') throw new Error(command.command)
  const options = { outDir: '', resourcesDir: '', dir, libraryDir: dir, known: null, modelsDir: '' }
  const settings = { credentials: 'on', credentialNames: false } as const
  const run = { ...options, settings, signing: { dir, files: null } }
  await expect(runSwap(command, run, new AbortController().signal)).rejects.toMatchObject({ code: 'usage' })
  expect(openRun).not.toHaveBeenCalled()
  expect(readFileSync(join(dir, 'precious.mp4'), 'utf8')).toBe('precious.mp4')
})
