import { expect, it } from 'vitest'
import { acceleratorOf, keysOf, refusalOf, typesText, type KeyPress } from '../../../../src/shared/settings/keys.ts'

const none = { code: '', shift: false, ctrl: false, alt: false, meta: false, altGraph: false }
const ctrl = { ctrl: true }
const meta = { meta: true }

it.each<[string, Partial<KeyPress> & { key: string }, boolean, string]>([
  ['Ctrl N', { key: 'n', ...ctrl }, false, 'mod+N'],
  ['⌘N', { key: 'n', ...meta }, true, 'mod+N'],
  ['Ctrl N on a Mac', { key: 'n', ...ctrl }, true, 'ctrl+N'],
  ['the Windows key with N', { key: 'n', ...meta }, false, 'meta+N'],
  ['Ctrl Shift S', { key: 'S', shift: true, ...ctrl }, false, 'shift+mod+S'],
  ['? with Shift', { key: '?', shift: true }, false, '?'],
  ['? without Shift, as some keyboards have it', { key: '?' }, false, '?'],
  ['⌥⌘R', { key: '®', code: 'KeyR', alt: true, ...meta }, true, 'alt+mod+R'],
  ['⌥L, which types @ on a German Mac', { key: '@', code: 'KeyL', alt: true }, true, '@'],
  ['⌥5, which types [ on a German Mac', { key: '[', code: 'Digit5', alt: true }, true, '['],
  ['⌥5 on an American Mac', { key: '∞', code: 'Digit5', alt: true }, true, 'alt+5'],
  ['[ with AltGr', { key: '[', code: 'Digit8', ctrl: true, alt: true, altGraph: true }, false, '['],
  [
    'ą with AltGr, which is no Ctrl Alt A',
    { key: 'ą', code: 'KeyA', ctrl: true, alt: true, altGraph: true },
    false,
    'Ą',
  ],
  ['Ctrl N on a Russian keyboard', { key: 'т', code: 'KeyN', ...ctrl }, false, 'mod+N'],
  ['1 on a French keyboard', { key: '&', code: 'Digit1' }, false, '1'],
  ['! on an American keyboard', { key: '!', code: 'Digit1', shift: true }, false, '!'],
  ['Q on a French keyboard', { key: 'q', code: 'KeyA' }, false, 'Q'],
  ['ß', { key: 'ß', code: 'Minus' }, false, 'ß'],
  ['Ctrl +', { key: '+', shift: true, ...ctrl }, false, 'mod+plus'],
  ['Ctrl =', { key: '=', ...ctrl }, false, 'mod+='],
  ['Ctrl Alt 0', { key: '0', ctrl: true, alt: true }, false, 'alt+mod+0'],
  ['Shift →', { key: 'ArrowRight', shift: true }, false, 'shift+right'],
  ['Space', { key: ' ' }, false, 'space'],
  ['F1', { key: 'F1' }, false, 'F1'],
])('the keys of a press: %s', (_name, press, mac, expected) =>
  expect(keysOf({ ...none, ...press }, mac)).toBe(expected),
)

it.each([
  ['mod+C', 'text'],
  ['enter', 'text'],
  ['tab', 'text'],
  ['backspace', 'text'],
  ['F11', 'system'],
  ['alt+F4', 'system'],
  ['meta+N', 'system'],
  ['ctrl+N', 'system'],
  ['mod+N+M', 'system'],
  ['', 'system'],
  ['mod+R', null],
  ['shift+enter', null],
  ['Ö', null],
  ['F6', null],
  ['mod+plus', null],
])('%s is refused as keys of: %s', (keys, refusal) => expect(refusalOf(keys)).toBe(refusal))

it.each([
  ['B', true],
  ['shift+B', true],
  ['alt+B', true],
  ['mod+Z', true],
  ['mod+N', false],
  ['F2', false],
])('%s types text: %s', (keys, expected) => expect(typesText(keys)).toBe(expected))

it.each([
  ['alt+shift+mod+S', 'Alt+Shift+CmdOrCtrl+S'],
  ['mod+plus', 'CmdOrCtrl+Plus'],
  ['left', 'Left'],
  ['[', '['],
  ['F11', 'F11'],
  ['Ö', undefined],
])('%s is the accelerator %s', (keys, accelerator) => expect(acceleratorOf(keys)).toBe(accelerator))
