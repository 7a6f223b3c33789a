import { expect, it } from 'vitest'
import { findCycle, importsOf } from '../../../scripts/check-folder-cycles.mjs'

/** Of files in src/main. */
const importOf = (line: string): { from: string; to: string } => {
  const [from = '', to = ''] = line.split(' > ').map((name) => `src/main/${name}.ts`)
  return { from, to }
}

it.each<[string, imports: string[], pairs: string[]]>([
  ['nothing in folders of layers', ['a/x > b/y'], []],
  ['two folders, each with its subfolders', ['a/x > b/in/y', 'b/z > a/w'], ['a > b', 'b > a']],
  ['a folder and its subfolder', ['a/x > a/in/y', 'a/in/y > a/z'], ['a > a/in', 'a/in > a']],
  ['the shortest circle', ['a/x > b/x', 'b/x > c/x', 'c/x > a/x', 'c/x > b/y'], ['b > c', 'c > b']],
])('findCycle finds %s', (_name, imports, pairs) => {
  const found = findCycle(imports.map(importOf)).map((line) => line.split(':')[0]?.replaceAll('src/main/', ''))
  expect(found).toEqual(pairs)
})

it('importsOf reads every kind of import, but no packages', () => {
  const source = `import a from 'zod'\nimport './b.ts'\nimport {\n  c } from '../c.ts'\nexport * from '@shared/d.ts'
    await import('./e.ts')`
  const files = importsOf('src/main/x/a.ts', source).map(({ to }) => to)
  expect(files).toEqual(['src/main/x/b.ts', 'src/main/c.ts', 'src/shared/d.ts', 'src/main/x/e.ts'])
})
