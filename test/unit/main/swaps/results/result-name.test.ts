import { posix, win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileNames, placeNames } from '../../../../../src/main/swaps/results/place-file.ts'
import { safeName } from '../../../../../src/shared/files/name-template.ts'

describe('a title as a file name', () => {
  it.each([
    ['Launch day', 'Launch day'],
    ['a/b\\c:d*e?f"g<h>i|j', 'a b c d e f g h i j'],
    ['../../etc/passwd', 'etc passwd'],
    ['  ...  ', 'Swap'],
    ['CON', 'Swap CON'],
    // Windows reserves it with anything after the dot.
    ['lpt1.txt', 'Swap lpt1.txt'],
    ['nul .a', 'Swap nul .a'],
    ['COM²', 'Swap COM²'],
    ['console', 'console'],
    ['ends with dots...', 'ends with dots'],
    ['line\nbreak\u0000nul', 'line break nul'],
    ['right\u202eto left', 'right to left'],
    ['Überraschung 日本', 'Überraschung 日本'],
    ['x'.repeat(300), 'x'.repeat(80)],
  ])('%j → %j', (title, name) => expect(safeName(title)).toBe(name))

  it('counts from 2', () => {
    const [first, second, third] = fileNames('Clip', 'mp4')
    expect([first, second, third]).toEqual(['Clip.mp4', 'Clip 2.mp4', 'Clip 3.mp4'])
  })
})

it.each([
  ['D:\\Clip.mp4', 'D:\\', 'Mien', win32],
  ['D:\\Videos\\Clip.mp4', 'D:\\Videos', 'Mien', win32],
  ['D:\\Videos\\Clip.mp4', 'E:\\', 'Videos', win32],
  ['\\\\server\\share\\Clip.mp4', '\\\\server\\share\\', 'Mien', win32],
  ['/Clip.mp4', '/', 'Mien', posix],
  ['/home/a/Clip.mp4', '/home/a', 'Mien', posix],
])('a result at %s, saved in %s, is in %s', (path, folder, folderName, paths) => {
  expect(placeNames(path, { folder, folderName: 'Mien' }, paths)).toEqual({ fileName: 'Clip.mp4', folderName })
})
