/** @file Measures the size of a package by part. Only reads files. */
import { openSync, readSync, closeSync, readdirSync, lstatSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/**
 * Lists the files of an asar archive. Its header is a pickle: the JSON length is at byte 12, the JSON at byte 16.
 * @param {string} archive
 * @returns {{ path: string, size: number, unpacked: boolean, hash: string | undefined }[]} paths with `/`
 */
export function asarFiles(archive) {
  const file = openSync(archive, 'r')
  try {
    const head = Buffer.alloc(16)
    readSync(file, head, 0, 16, 0)
    const text = Buffer.alloc(head.readUInt32LE(12))
    readSync(file, text, 0, text.length, 16)
    return [...entries(JSON.parse(text.toString()), '')]
  } finally {
    closeSync(file)
  }
}

/**
 * @typedef {{ files?: Record<string, Node>, size?: number, unpacked?: boolean, integrity?: { hash: string } }} Node
 * @param {Node} node
 * @param {string} path
 * @returns {Generator<{ path: string, size: number, unpacked: boolean, hash: string | undefined }>}
 */
function* entries(node, path) {
  for (const [name, child] of Object.entries(node.files ?? {})) {
    const at = path === '' ? name : `${path}/${name}`
    if (child.files) yield* entries(child, at)
    else yield { path: at, size: child.size ?? 0, unpacked: child.unpacked ?? false, hash: child.integrity?.hash }
  }
}

/** Parts of Mien by file path in the app folder (resources first, then the archive). */
const parts = /** @type {const} */ ([
  ['models', /(^|\/)resources\/models\//i],
  ['sample media', /(^|\/)resources\/sample\//i],
  ['licences', /(^|\/)resources\/(LICENSE|NOTICE(\.md)?|licences\.txt)$/i],
  ['keytar', /node_modules\/keytar\//],
  ['LiteRT', /out\/renderer\/.*\.wasm(\.br)?$/],
  ['main', /out\/(main|preload)\//],
  ['renderer', /out\/renderer\//],
])

/**
 * Measures an unpacked package.
 * @param {string} folder root of the package
 * @param {(path: string) => boolean} isElectrons whether a path (with `/`, relative to the folder) is part of Electron
 * @returns {{ totalMB: number, electronMB: number, mienMB: number, parts: Record<string, number> }} in 10⁶ bytes
 */
export function measure(folder, isElectrons) {
  /** @type {Record<string, number>} */
  const bytes = {}
  const add = (/** @type {string} */ part, /** @type {number} */ size) => (bytes[part] = (bytes[part] ?? 0) + size)
  for (const path of filesOf(folder)) {
    const size = lstatSync(join(folder, path)).size
    if (isElectrons(path)) add('Electron', size)
    else if (path.endsWith('app.asar')) {
      let rest = size
      for (const file of asarFiles(join(folder, path))) {
        if (file.unpacked) continue
        add(partOf(file.path), file.size)
        rest -= file.size
      }
      add('archive header', rest)
    } else add(partOf(path), size)
  }
  const { Electron: electron = 0, ...own } = bytes
  const mien = Object.values(own).reduce((sum, size) => sum + size, 0)
  const sorted = Object.entries(own).sort(([, a], [, b]) => b - a)
  return {
    totalMB: mega(electron + mien),
    electronMB: mega(electron),
    mienMB: mega(mien),
    parts: Object.fromEntries(sorted.map(([part, size]) => [part, mega(size)])),
  }
}

const partOf = (/** @type {string} */ path) => parts.find(([, pattern]) => pattern.test(path))?.[0] ?? 'desktop files'

const mega = (/** @type {number} */ bytes) => Math.round(bytes / 1e4) / 100

/** All files in a folder, recursively, as paths with `/`. Links are listed but not followed. @returns {string[]} */
export function filesOf(/** @type {string} */ folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
}
