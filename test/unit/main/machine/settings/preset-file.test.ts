import { describe, expect, it } from 'vitest'
import { defaultOptions } from '@shared/options/default-options.ts'
import type { Preset } from '@shared/settings/presets.ts'
import { presetText, readPreset } from '../../../../../src/main/machine/settings/preset-file.ts'
import { thrownBy } from '../../../../fixtures/thrown-by.ts'

const preset: Preset = {
  id: 'a',
  name: 'Vertical reel',
  options: { ...defaultOptions, likeness: 80, keep: ['hair'], size: 1080, quality: 'small' },
}
const file = JSON.parse(presetText(preset)) as Record<string, unknown> & { options: Record<string, unknown> }

const thrownFor = (content: unknown, known: readonly Preset[] = []): unknown =>
  thrownBy(() => readPreset(typeof content === 'string' ? content : JSON.stringify(content), 'x.mien-preset', known))

describe('the file of a preset', () => {
  it('is read as it was written, as another preset', () => {
    const read = readPreset(`\uFEFF${presetText(preset)}`, 'x', [])
    expect(read).toEqual({ ...preset, id: read.id })
    expect(read.id).not.toBe(preset.id)
  })

  it('gets a name that no other preset has', () => {
    const others = ['Vertical reel', 'Vertical reel 2'].map((name) => ({ ...preset, name }))
    expect(readPreset(presetText(preset), 'x', others).name).toBe('Vertical reel 3')
    const long = { ...preset, name: 'x'.repeat(60) }
    expect(readPreset(presetText(long), 'x', [long]).name).toBe(`${'x'.repeat(54)} 2`)
  })

  it('may leave options out', () => {
    const { options } = readPreset(JSON.stringify({ ...file, options: { quality: 'best' } }), 'x', [])
    expect(options).toEqual({ ...defaultOptions, quality: 'best' })
  })

  it.each<[string, unknown, string, string | null]>([
    ['no JSON', 'preset', 'foreign', null],
    ['nothing', '', 'foreign', null],
    ['a list', [], 'foreign', null],
    ['another program’s', { app: 'other', kind: 'preset', format: 1 }, 'foreign', null],
    ['Mien’s settings', { app: 'mien', kind: 'settings', format: 1, settings: {} }, 'foreign', null],
    ['of a newer version', { ...file, format: 2, more: true }, 'newer', null],
    ['with an unknown field', { ...file, author: 'me' }, 'field', 'author'],
    ['with an unknown option', { ...file, options: { ...file.options, sharpen: 1 } }, 'field', 'options.sharpen'],
    ['with a wrong value', { ...file, options: { ...file.options, size: 99 } }, 'value', 'options.size'],
    ['with a wrong part', { ...file, options: { ...file.options, keep: ['nose'] } }, 'value', 'options.keep'],
    ['without a name', { ...file, name: ' ' }, 'value', 'name'],
    ['with a long name', { ...file, name: 'x'.repeat(61) }, 'value', 'name'],
  ])('that is %s is refused', (_, content, reason, field) => {
    const body = { code: 'preset-invalid', details: { name: 'x.mien-preset', reason, field } }
    expect(thrownFor(content)).toMatchObject({ body })
  })

  it('is refused if there is no room', () => {
    const known = Array.from({ length: 100 }, (_, at) => ({ ...preset, name: String(at) }))
    expect(thrownFor(presetText(preset), known)).toMatchObject({ code: 'preset-invalid', details: { reason: 'full' } })
  })
})
