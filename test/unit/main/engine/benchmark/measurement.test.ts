import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { EncoderTrial } from '@shared/engine/encoder.ts'
import type { Measurement } from '@shared/engine/benchmark.ts'
import {
  storedMeasurement,
  chooseEncoder,
  computerKey,
  withoutHardware,
} from '../../../../../src/main/engine/benchmark/measurement.ts'
import { exportText } from '../../../../../src/main/machine/settings/exchange.ts'
import { SettingsStore } from '../../../../../src/main/machine/settings/settings-store.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const fast = (fps: number): EncoderTrial => ({ fps, problem: null })
const bad = (problem: EncoderTrial['problem']): EncoderTrial => ({ fps: null, problem })

it.each<[string, EncoderTrial, EncoderTrial, string]>([
  ['the graphics chip’s when it is clearly faster', fast(250), fast(100), 'hardware'],
  ['the graphics chip’s at the least that is clearly faster', fast(125), fast(100), 'hardware'],
  ['the processor’s when there is little in it', fast(124), fast(100), 'software'],
  ['the processor’s when it is faster', fast(80), fast(100), 'software'],
  ['the processor’s when there is no other', bad('absent'), fast(10), 'software'],
  ['the processor’s when the other makes wrong pictures', bad('wrong'), fast(10), 'software'],
  ['the processor’s when the other failed', bad('failed'), fast(10), 'software'],
  ['the processor’s when the other hangs', bad('silent'), fast(10), 'software'],
  ['the graphics chip’s when the processor’s does not work', fast(20), bad('failed'), 'hardware'],
  ['the processor’s when nothing works', bad('absent'), bad('silent'), 'software'],
])('the encoder is %s', (_what, hardware, software, expected) =>
  expect(chooseEncoder({ hardware, software })).toBe(expected),
)

const facts = { version: '1.0.0', electron: '45.3.4', model: ' A processor ', cores: 8 }

it('knows a computer, and the Mien that measured it', () => {
  const key = computerKey(facts)
  expect(computerKey({ ...facts, model: 'A processor' })).toBe(key)
  for (const other of [{ version: '1.0.1' }, { electron: '46.0.0' }, { model: 'Another' }, { cores: 4 }])
    expect(computerKey({ ...facts, ...other })).not.toBe(key)
})

const measured: Measurement = {
  ...{ key: computerKey(facts), at: 1, cores: 8, encoder: 'hardware', fps: 90 },
  ...{ hardware: fast(300), software: fast(100) },
}

it('takes the processor for a graphics chip that failed in a swap, and says why', () => {
  expect(withoutHardware(measured)).toEqual({ ...measured, encoder: 'software', hardware: bad('failed') })
})

describe('what was measured', () => {
  const inDir = tempPaths()

  it('is kept in the settings, and read from there by a run of its own', () => {
    expect(storedMeasurement(inDir())).toBeNull()
    const settings = new SettingsStore(inDir(), 0)
    expect(settings.measurement).toBeNull()
    expect(storedMeasurement(inDir())).toBeNull()
    settings.keep({ machine: measured })
    expect(new SettingsStore(inDir(), 0).measurement).toEqual(measured)
    expect(storedMeasurement(inDir())).toEqual(measured)
  })

  it.each([
    ['an encoder of a later Mien', { ...measured, encoder: 'quantum' }],
    ['no speed', { ...measured, fps: 0 }],
    ['half of it', { key: measured.key }],
    ['a word', 'fast'],
  ])('is measured anew when it is damaged: %s', (_what, machine) => {
    new SettingsStore(inDir(), 0).set({ theme: 'light' })
    const settings = new SettingsStore(inDir(), 0)
    const file = { version: 2, settings: settings.settings, machine }
    writeFileSync(inDir('settings.json'), JSON.stringify(file))
    expect(new SettingsStore(inDir(), 0).measurement).toBeNull()
    expect(new SettingsStore(inDir(), 0).settings.theme).toBe('light')
  })

  it('stays on this computer', () => {
    const settings = new SettingsStore(inDir(), 0)
    settings.keep({ machine: measured })
    expect(exportText(settings.exchanged)).not.toContain('A processor')
    const there = new SettingsStore(inDir('other'), 0)
    there.import(JSON.stringify({ ...JSON.parse(exportText(settings.exchanged)), machine: measured }), 'file')
    expect(there.measurement).toBeNull()
  })
})
