/** @file What is in the unpacked app, and in its binary's fuses. On every system. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { describe, expect, it } from 'vitest'
import { fuses } from '../../scripts/package/fuses.mjs'
import { asarFiles, filesOf, measure } from '../../scripts/package/measure.mjs'
import { sample } from '../fixtures/clip.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { asRoot } from '../fixtures/user-app.ts'
import { run, unpacked } from './packages.ts'

const { app, resources, executable } = unpacked()
const platform = `${process.platform}-${process.arch}`

describe('the archive', () => {
  const files = asarFiles(join(resources, 'app.asar'))

  it('holds the built app and keytar for this system, and nothing else', () => {
    const expected = [
      /^package\.json$/,
      /^out\/main\/[\w.-]+\.js$/,
      /^out\/main\/c2pa\.wasm\.br$/,
      /^out\/main\/chunks\/[\w.-]+\.js$/,
      /^out\/preload\/(studio|engine)\.cjs$/,
      /^out\/renderer\/(studio|engine)\/index\.html$/,
      /^out\/renderer\/assets\/[\w.-]+\.(m?js|css|wasm|wasm\.br|jpg|svg|woff2)$/,
      /^node_modules\/keytar\/(package\.json|lib\/keytar\.js)$/,
      new RegExp(`^node_modules/keytar/prebuilds/${platform}/keytar\\.node$`),
    ]
    const foreign = files.filter(({ path }) => !expected.some((pattern) => pattern.test(path)))
    expect(foreign.map(({ path }) => path)).toEqual([])
    for (const needed of ['out/main/index.js', 'out/preload/studio.cjs', 'out/preload/engine.cjs', 'package.json']) {
      expect(files.map(({ path }) => path)).toContain(needed)
    }
  })

  it('has the hash of every file', () => {
    expect(files.filter(({ hash }) => !/^[0-9a-f]{64}$/.test(hash ?? '')).map(({ path }) => path)).toEqual([])
  })

  it('leaves only the native module outside', () => {
    const outside = files.filter((file) => file.unpacked).map(({ path }) => path)
    expect(outside).toEqual([`node_modules/keytar/prebuilds/${platform}/keytar.node`])
    expect(filesOf(join(resources, 'app.asar.unpacked'))).toEqual(outside)
  })
})

describe('beside the archive', () => {
  it('lie weights, sample media and notices', () => {
    expect(filesOf(join(resources, 'resources')).sort()).toEqual([
      'LICENSE',
      'NOTICE',
      'NOTICE.md',
      // The tray's.
      'icons/linux/32x32.png',
      'licences.txt',
      'models/face_landmarker.task',
      'models/selfie_multiclass_128x128.f16',
      'models/sface_int8.onnx',
      'sample/astronaut-clip.mp4',
      'sample/ellen-ochoa.jpg',
    ])
  })

  it('lies no app of Electron’s own, and none that would come before ours', () => {
    for (const name of ['default_app.asar', 'app', 'electron.asar'])
      expect(existsSync(join(resources, name))).toBe(false)
  })

  it('are Chromium’s words only in the languages of Mien', () => {
    const folder = process.platform === 'darwin' ? resources : join(app, 'locales')
    const languages = readdirSync(folder).filter((name) => /\.(pak|lproj)$/.test(name))
    expect(languages.length).toBeGreaterThan(0)
    const ours = readdirSync(new URL('../../src/shared/i18n/messages', import.meta.url)).map((name) => name.slice(0, 2))
    expect(languages.filter((name) => !ours.includes(name.slice(0, 2)))).toEqual([])
  })

  it('Mien itself weighs at most 60 MB', () => {
    // Everything outside of resources is Electron.
    const { mienMB, parts } = measure(resources, (path) => !/^(app\.asar|resources)/.test(path))
    expect(parts).toHaveProperty('models')
    expect(mienMB).toBeGreaterThan(20)
    expect(mienMB).toBeLessThanOrEqual(60)
  })
})

// As root, on Linux, the program needs --no-sandbox; there the deb's test does this as a user.
if (!asRoot)
  it('the program does the sample job on the command line', async () => {
    const out = join(tempDir(), 'out.mp4')
    const ran = await run(executable, ['swap', '--face', sample.face, '--video', sample.video, '--out', out, '--json'])
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'completed', output: out, frames: 150 })
  })

it('every fuse is as it was decided', async () => {
  const wire = await getCurrentFuseWire(process.platform === 'darwin' ? app : executable)
  const read = Object.entries(wire).flatMap(([key, state]) => {
    const index = Number(key)
    // Besides the fuses, by number, the dump has the wire's version.
    return Number.isInteger(index) && key !== 'version'
      ? [[FuseV1Options[index], FuseState[Number(state)]] as const]
      : []
  })
  const decided = Object.entries(fuses).flatMap(([key, on]) => {
    const index = Number(key)
    return Number.isInteger(index) ? [[FuseV1Options[index], on ? 'ENABLE' : 'DISABLE'] as const] : []
  })
  expect(Object.fromEntries(read)).toEqual(Object.fromEntries(decided))
})
