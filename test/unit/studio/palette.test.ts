import { describe, expect, it } from 'vitest'
import { findEntries } from '../../../src/renderer/studio/logic/palette.ts'

const entries = [
  { id: 'replay', label: 'Play it again', where: 'Compare' },
  { id: 'play', label: 'Play or pause', where: 'Compare' },
  { id: 'display', label: 'Change the display', where: 'Everywhere' },
  { id: 'bring', label: 'Vidéo précédente', where: 'Bibliothèque' },
  { id: 'zh', label: '播放或暂停', where: '比较' },
]
const find = (search: string, recent: string[] = []): string[] =>
  findEntries(entries, search, recent).map(({ id }) => id)

describe('the palette', () => {
  it('shows all without a search, recent ones first', () => {
    expect(find('')).toEqual(['replay', 'play', 'display', 'bring', 'zh'])
    expect(find(' ', ['zh', 'gone', 'play'])).toEqual(['zh', 'play', 'replay', 'display', 'bring'])
  })

  it('finds all words in any order, without regard to case and accents', () => {
    expect(find('PAUSE play')).toEqual(['play'])
    expect(find('video prec')).toEqual(['bring'])
    expect(find('暂停')).toEqual(['zh'])
    expect(find('play nothing')).toEqual([])
  })

  it('puts a label that begins so first, then words that begin so, then parts of words, then places', () => {
    expect(find('play')).toEqual(['replay', 'play', 'display'])
    expect(find('compare')).toEqual(['replay', 'play'])
  })

  it('puts a recent one first among those that fit as well', () => {
    expect(find('play', ['display', 'play'])).toEqual(['play', 'replay', 'display'])
  })
})
