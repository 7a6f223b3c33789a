import { describe, expect, it, vi } from 'vitest'
import { defaultOptions, type SwapOptions } from '@shared/options/default-options.ts'
import type { Preset } from '@shared/settings/presets.ts'
import type { FakeStart } from '../../fixtures/fake-bridge.ts'
import { swap } from '../../fixtures/fake-tasks.ts'
import { startStudio } from './open-studio.ts'

const open = (settings: FakeStart['settings'] = {}) => startStudio({ settings })

const preset = (id: string, options: Partial<SwapOptions> = {}): Preset => ({
  id,
  name: `Preset ${id}`,
  options: { ...defaultOptions, ...options },
})

describe('the options of a preset', () => {
  it('replace those of the composer, and changes are counted from them', async () => {
    const { main, studio } = await open({ presets: [preset('a', { size: 720, likeness: 80 })] })
    const { presets, composer } = studio
    expect(presets.chosen.name).toBe('Standard')
    const [own] = presets.own
    if (own) presets.choose(own)
    expect(composer.options).toMatchObject({ size: 720, likeness: 80 })
    expect(presets.changes).toBe(0)
    composer.options = { ...composer.options, size: null, quality: 'best' }
    expect(presets.changes).toBe(2)
    presets.reset()
    expect(composer.options.size).toBe(720)
    await vi.waitFor(() => expect(main.settings).toMatchObject({ lastPreset: 'a', swapOptions: { size: 720 } }))
  })

  it('are saved under a name that no other preset has', async () => {
    const { main, studio } = await open({ presets: [preset('a')] })
    const { presets, composer } = studio
    composer.options = { ...composer.options, quality: 'small' }
    expect(presets.isTaken(' Preset a ')).toBe(true)
    expect(presets.isTaken('Preset a', 'a')).toBe(false)
    presets.save(' Small ')
    expect(presets.chosen).toMatchObject({ name: 'Small', options: { quality: 'small' } })
    composer.options = { ...composer.options, quality: 'best' }
    presets.update()
    expect(presets.changes).toBe(0)
    await vi.waitFor(() => {
      expect(main.settings.presets.map(({ name, options }) => [name, options.quality])).toEqual([
        ['Preset a', 'balanced'],
        ['Small', 'best'],
      ])
    })
  })

  it('stay after a swap that was made again with them', async () => {
    const { studio } = await open({ presets: [preset('a', { size: 720 })] })
    const { presets, composer } = studio
    await composer.prefill(swap('s', 1, { options: { ...defaultOptions, likeness: 10 } }), ['face', 'video'])
    for (const own of presets.own) presets.choose(own)
    composer.submitted()
    expect(composer.options).toMatchObject({ size: 720, likeness: defaultOptions.likeness })
  })

  it('use the built-in method if the model is gone', async () => {
    const { studio } = await open({ presets: [preset('a', { method: 'f'.repeat(64) })], lastPreset: 'a' })
    studio.presets.reset()
    expect(studio.composer.options.method).toBeNull()
    expect(studio.toasts.list[0]?.title).toBe('This preset’s model isn’t on this computer')
  })
})

describe('a preset', () => {
  it('is removed with its choice as a start, and comes back whole', async () => {
    const settings = { presets: [preset('a'), preset('b'), preset('c')], lastPreset: 'b', defaultPreset: 'b' }
    const { studio } = await open(settings)
    const { presets, toasts } = studio
    const [, second] = presets.own
    if (second) presets.remove(second)
    await vi.waitFor(() => expect(toasts.list).toHaveLength(1))
    expect(presets.own.map(({ id }) => id)).toEqual(['a', 'c'])
    expect([presets.chosen.id, presets.first]).toEqual(['standard', ''])
    studio.undo()
    await vi.waitFor(() => expect(presets.own.map(({ id }) => id)).toEqual(['a', 'b', 'c']))
    expect([presets.chosen.id, presets.first]).toEqual(['b', 'b'])
  })

  it('is what the composer begins with, if the user wants that', async () => {
    const last = { ...defaultOptions, quality: 'small' } as const
    const settings = { presets: [preset('a', { size: 480 })], swapOptions: last }
    expect((await open(settings)).studio.composer.options).toEqual(last)
    const { studio } = await open({ ...settings, defaultPreset: 'a' })
    expect(studio.composer.options).toMatchObject({ size: 480, quality: 'balanced' })
    expect(studio.presets.chosen.id).toBe('a')
  })
})
