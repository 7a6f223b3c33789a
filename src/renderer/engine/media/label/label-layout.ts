/** @file Where and how large a label is, and which text it has. Pure. */
import { labelTexts, type Label } from '@shared/options/label.ts'
import type { Language } from '@shared/language.ts'
import type { Size } from '@shared/tasks/output.ts'
import glyphs from './glyphs.json' with { type: 'json' }

/** Units of the outlines per em. */
const unitsPerEm = 1000

/** Advance in units, and an SVG path, whose y axis points down from the baseline. */
type Glyph = readonly [advance: number, path: string]
const tables: Readonly<Record<'zh' | 'ja', Readonly<Record<string, Glyph>>>> = glyphs as unknown as Record<
  'zh' | 'ja',
  Record<string, Glyph>
> // JSON arrays aren't read as tuples

/** Em size as a share of the short side. Chinese characters fill about 0.9 em, and have to have 5 % of it. */
const emShare = { usual: 0.04, china: 0.06 }
/** In pixels: smaller letters can't be read. */
const minEm = 12
/** Widest label, as a share of the width. */
const maxWidth = 0.9
/** In em. */
const padding = { x: 0.55, y: 0.3 }
/** Above and below the baseline, in em. */
const ascent = 0.88
const descent = 0.14

export interface LabelLayout {
  /** The box behind the text, in whole pixels of the upright picture. */
  box: { x: number; y: number; width: number; height: number }
  /** Pixels per unit of the paths. */
  scale: number
  /** Paths, and where they begin on the baseline, in pixels. */
  letters: { path: string; x: number; y: number }[]
}

/** The label of a swap: its kind and the language of its text. */
export interface LabelChoice {
  label: Exclude<Label, 'off'>
  language: Language
}

/** @param size of the upright picture. @returns null if not even the short text fits */
export function labelLayout({ label, language }: LabelChoice, { width, height }: Size): LabelLayout | null {
  const isChina = label === 'china'
  const short = Math.min(width, height)
  const em = Math.max(minEm, short * (isChina ? emShare.china : emShare.usual))
  const texts = labelTexts[isChina ? 'china' : language]
  const margin = Math.max(2, Math.round(short * 0.025))
  const table = language === 'ja' && !isChina ? { ...tables.zh, ...tables.ja } : tables.zh
  for (const text of [texts.long, texts.short]) {
    const found = Array.from(text, (letter): Glyph => table[letter] ?? [0, ''])
    const textWidth = (found.reduce((sum, [advance]) => sum + advance, 0) / unitsPerEm) * em
    const box = {
      ...{ x: margin, y: margin },
      width: Math.ceil(textWidth + 2 * padding.x * em),
      height: Math.ceil((ascent + descent + 2 * padding.y) * em),
    }
    if (box.width > width * maxWidth || box.height + margin > height) continue
    let x = box.x + padding.x * em
    const y = box.y + (padding.y + ascent) * em
    const letters = found.map(([advance, path]) => {
      const letter = { path, x, y }
      x += (advance / unitsPerEm) * em
      return letter
    })
    return { box, scale: em / unitsPerEm, letters }
  }
  return null
}
