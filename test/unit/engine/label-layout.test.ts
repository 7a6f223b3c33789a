import { expect, it } from 'vitest'
import { labelLayout } from '../../../src/renderer/engine/media/label/label-layout.ts'
import glyphs from '../../../src/renderer/engine/media/label/glyphs.json' with { type: 'json' }
import { labelTexts } from '../../../src/shared/options/label.ts'
import { languages } from '../../../src/shared/language.ts'

const sizes = [[480, 360], [360, 480], [1280, 720], [1920, 1080], [1080, 1920], [3840, 2160], [2160, 2160]] as const // prettier-ignore

it('the layout of a label has an outline for each character of all texts', () => {
  const known = new Set([...Object.keys(glyphs.zh), ...Object.keys(glyphs.ja)])
  const texts = Object.values(labelTexts).flatMap(({ long, short }) => Array.from(long + short))
  expect(texts.filter((letter) => !known.has(letter))).toEqual([])
})

it.each(sizes)('the layout of a label shows the long text in all languages on %i × %i', (width, height) => {
  for (const language of languages) {
    const layout = labelLayout({ label: 'eu', language }, { width, height })
    const { box = { x: 0, y: 0, width: 0, height: 0 } } = layout ?? {}
    expect(layout?.letters).toHaveLength(Array.from(labelTexts[language].long).length)
    expect(box.x + box.width).toBeLessThanOrEqual(width)
    // Small enough to leave the picture alone.
    expect(box.height).toBeLessThan(Math.min(width, height) * 0.08)
  }
})

it.each([...sizes, [640, 144], [64, 64]] as const)(
  'the layout of a label for China has characters of 5 %% of the short side on %i × %i',
  (width, height) => {
    const layout = labelLayout({ label: 'china', language: 'en' }, { width, height })
    const ink = 0.84 * 1000 * (layout?.scale ?? 0)
    expect(ink).toBeGreaterThanOrEqual(Math.min(width, height) * 0.05)
  },
)

it('the layout of a label has the short text on 64 pixels, and nothing where even that has no room', () => {
  const letters = (label: 'eu' | 'china', size: number) =>
    labelLayout({ label, language: 'de' }, { width: size, height: size })?.letters.length ?? 0
  expect([letters('eu', 64), letters('china', 64), letters('eu', 16)]).toEqual([2, 4, 0])
})
