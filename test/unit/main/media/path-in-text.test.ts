import { expect, it } from 'vitest'
import { pathInText } from '../../../../src/main/media/path-in-text.ts'

it.each([
  ['/films/a b.mp4\n', 'linux', '/films/a b.mp4'],
  ["'/films/it.mp4'", 'linux', '/films/it.mp4'],
  ['~/Videos/a.mp4', 'darwin', '/home/ada/Videos/a.mp4'],
  ['file:///films/a%20b.mp4', 'linux', '/films/a b.mp4'],
  ['"C:\\films\\a b.mp4"', 'win32', 'C:\\films\\a b.mp4'],
  ['C:\\films\\a.mp4', 'linux', null],
  ['a.mp4', 'linux', null],
  ['/one\n/two', 'linux', null],
  ['/films/\0.mp4', 'linux', null],
  ['https://a.example/b.mp4', 'linux', null],
  ['file://host/%', 'linux', null],
  ['', 'linux', null],
] as const)('%j on %s is the path %j', (text, platform, path) => {
  expect(pathInText(text, '/home/ada', platform)).toBe(path)
})
