/** @file Checks that folders of src don't import each other in a circle, at any depth. */
import { readFileSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { inRoot, isMain, main } from './lib/run.mjs'

/** @typedef {{ from: string, to: string }} Import paths of two files, with slashes */

/**
 * @param {string} from path of a file
 * @param {string} source its text
 * @returns {Import[]} without packages
 */
export function importsOf(from, source) {
  return [...source.matchAll(/\b(?:from|import)[\s(]*'((?:\.|@shared\/)[^']*)'/g)].map(([, name = '']) => ({
    from,
    to: name.startsWith('.') ? posix.join(posix.dirname(from), name) : name.replace('@shared', 'src/shared'),
  }))
}

/** @returns {string[]} the shortest cycle: one line per folder, with an import as example; empty if there is none */
export function findCycle(/** @type {Import[]} */ imports) {
  // Depth 3 compares src/main/a with src/main/b, each with its subfolders; the last depth compares single folders.
  for (const depth of [2, 3, 4, 5, 6, 7]) {
    const folderOf = (/** @type {string} */ path) => posix.dirname(path).split('/').slice(0, depth).join('/')
    /** @type {Map<string, Map<string, string>>} lines by both folders */
    const graph = new Map()
    for (const { from, to } of imports) {
      const [a, b] = [folderOf(from), folderOf(to)]
      if (a !== b) graph.set(a, (graph.get(a) ?? new Map()).set(b, `${a} > ${b}: ${from} imports ${to}`))
    }
    const cycles = [...graph.keys()].flatMap((folder) => cycleOf(folder, graph)).sort((a, b) => a.length - b.length)
    if (cycles[0]) return cycles[0]
  }
  return []
}

/** The shortest way from a folder back to it, by breadth-first search; empty if there is none. */
function cycleOf(/** @type {string} */ start, /** @type {Map<string, Map<string, string>>} */ graph) {
  const seen = new Set()
  const steps = [{ folder: start, lines: /** @type {string[]} */ ([]) }]
  for (const { folder, lines } of steps) {
    for (const [next, line] of graph.get(folder) ?? []) {
      if (next === start) return [[...lines, line]]
      if (!seen.has(next)) steps.push({ folder: next, lines: [...lines, line] })
      seen.add(next)
    }
  }
  return []
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const names = readdirSync(inRoot('src'), { recursive: true, encoding: 'utf8' })
    const files = names.map((name) => `src/${name.replaceAll('\\', '/')}`).filter((path) => /\.(ts|svelte)$/.test(path))
    const cycle = findCycle(files.flatMap((path) => importsOf(path, readFileSync(inRoot(path), 'utf8'))))
    for (const line of cycle) console.log(line)
    return cycle.length > 0 ? 1 : 0
  })
}
