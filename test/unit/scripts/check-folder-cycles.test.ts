import { expect, it } from 'vitest'
import { findCycle, importsOf } from '../../../scripts/check-folder-cycles.mjs'

it.each<[string, [from: string, to: string][], string[]]>([
  ['nothing in folders of layers', [['src/main/a/x.ts', 'src/main/b/y.ts']], []],
  [
    'two folders, each with its subfolders',
    [
      ['src/main/a/x.ts', 'src/main/b/in/y.ts'],
      ['src/main/b/z.ts', 'src/main/a/w.ts'],
    ],
    ['src/main/a > src/main/b', 'src/main/b > src/main/a'],
  ],
  [
    'a folder and its subfolder',
    [
      ['src/main/a/x.ts', 'src/main/a/in/y.ts'],
      ['src/main/a/in/y.ts', 'src/main/a/z.ts'],
    ],
    ['src/main/a > src/main/a/in', 'src/main/a/in > src/main/a'],
  ],
  [
    'the shortest circle',
    [
      ['src/main/a/x.ts', 'src/main/b/x.ts'],
      ['src/main/b/x.ts', 'src/main/c/x.ts'],
      ['src/main/c/x.ts', 'src/main/a/x.ts'],
      ['src/main/c/x.ts', 'src/main/b/y.ts'],
    ],
    ['src/main/b > src/main/c', 'src/main/c > src/main/b'],
  ],
])('findCycle finds %s', (_name, imports, pairs) => {
  const found = findCycle(imports.map(([from, to]) => ({ from, to })))
  expect(found.map((line) => line.split(':')[0])).toEqual(pairs)
})

it('importsOf reads every kind of import, but no packages', () => {
  const source = `import a from 'zod'\nimport './b.ts'\nimport {\n  c } from '../c.ts'\nexport * from '@shared/d.ts'
    await import('./e.ts')`
  const files = importsOf('src/main/x/a.ts', source).map(({ to }) => to)
  expect(files).toEqual(['src/main/x/b.ts', 'src/main/c.ts', 'src/shared/d.ts', 'src/main/x/e.ts'])
})
