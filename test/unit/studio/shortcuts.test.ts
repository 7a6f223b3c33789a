import { describe, expect, it } from 'vitest'
import { shortcutOf, shortcuts } from '../../../src/renderer/studio/logic/shortcuts.ts'

const press = (key: string, init: KeyboardEventInit = {}) => new KeyboardEvent('keydown', { key, ...init })

describe('a key press', () => {
  it.each([
    ['Ctrl N', press('n', { ctrlKey: true }), 'anywhere', false, 'new-swap'],
    ['⌘N', press('n', { metaKey: true }), 'anywhere', true, 'new-swap'],
    ['Ctrl N on a Mac', press('n', { ctrlKey: true }), 'anywhere', true, null],
    ['Ctrl Shift N', press('N', { ctrlKey: true, shiftKey: true }), 'anywhere', false, null],
    ['? with Shift', press('?', { shiftKey: true }), 'anywhere', false, 'shortcuts'],
    ['? without Shift, as some keyboards have it', press('?'), 'anywhere', false, 'shortcuts'],
    ['F1', press('F1'), 'anywhere', false, 'shortcuts'],
    ['Ctrl R, which reloads elsewhere', press('r', { ctrlKey: true }), 'swap', false, null],
    ['Ctrl Alt R', press('r', { ctrlKey: true, altKey: true, code: 'KeyR' }), 'swap', false, 'reveal'],
    ['⌥⌘R', press('®', { metaKey: true, altKey: true, code: 'KeyR' }), 'swap', true, 'reveal'],
    ['Ctrl Shift S', press('S', { ctrlKey: true, shiftKey: true }), 'swap', false, 'save-as'],
    ['Space', press(' '), 'viewer', false, 'play'],
    ['R', press('r'), 'viewer', false, 'repeat'],
    ['Ctrl R over a video', press('r', { ctrlKey: true }), 'viewer', false, null],
    ['[', press('['), 'viewer', false, 'weak-previous'],
    [
      '[ with AltGr, as some keyboards have it',
      press('[', { ctrlKey: true, altKey: true, modifierAltGraph: true }),
      'viewer',
      false,
      'weak-previous',
    ],
    ['] with ⌥, as some Macs have it', press(']', { altKey: true }), 'viewer', true, 'weak-next'],
    ['Ctrl ]', press(']', { ctrlKey: true }), 'viewer', false, null],
    ['Shift →', press('ArrowRight', { shiftKey: true }), 'library', false, 'extend'],
    ['→', press('ArrowRight'), 'library', false, 'move'],
  ] as const)('%s', (_name, event, place, mac, wanted) => {
    expect(shortcutOf(event, place, mac)).toBe(wanted)
  })

  it('means one thing in a place, and nothing else where it works anywhere', () => {
    const everywhere = Object.values(shortcuts.anywhere).flatMap(({ keys }) => [...keys] as string[])
    for (const [place, table] of Object.entries(shortcuts)) {
      const own = Object.values(table).flatMap(({ keys }: { keys: readonly string[] }) => [...keys])
      const all = place === 'anywhere' ? own : [...own, ...everywhere]
      expect(new Set(all).size).toBe(all.length)
    }
  })
})
