/** @file Runs npm, and keeps node_modules in sync with the lockfile. */
import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { nodeProblem } from './node-version.mjs'
import { Failure, alone, inRoot, readJson, readText, run, say, tail } from './run.mjs'

const stampFile = inRoot('node_modules', '.mien-stamp')

/**
 * Runs the npm that started this script, or the one on PATH, with the system's Node: npm may be replacing the Node in
 * node_modules.
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
export function npm(args, options = {}) {
  const { npm_execpath: script, npm_node_execpath: node } = process.env
  const all = { env: process.env, ...options }
  if (script?.endsWith('.js')) return run(node ?? process.execPath, [script, ...args], all)
  return run('npm', args, { ...all, shell: process.platform === 'win32' })
}

/** Installs the dependencies if they don't match the lockfile. Fails first if Node is too old. */
export async function ensureDependencies() {
  const problem = nodeProblem(process.versions.node, process.platform, process.arch)
  if (problem) throw new Failure(problem)
  if (isCurrent()) return
  await alone('dependencies', async () => {
    if (isCurrent()) return
    if (!matchesLockfile()) await install()
    writeFileSync(stampFile, fingerprint())
  })
}

const isCurrent = () => readText(stampFile) === fingerprint()

/** Hashes everything that determines the content of node_modules. */
function fingerprint() {
  const { dependencies, devDependencies, optionalDependencies } = readJson(inRoot('package.json')) ?? {}
  return createHash('sha256')
    .update(readText(inRoot('package-lock.json')) ?? '')
    .update(JSON.stringify([dependencies, devDependencies, optionalDependencies]))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex')
}

/** Whether node_modules already matches the lockfile, for example after a manual `npm install`. */
function matchesLockfile() {
  const wanted = readJson(inRoot('package-lock.json'))?.packages
  const found = readJson(inRoot('node_modules', '.package-lock.json'))?.packages
  if (!wanted || !found) return false
  const same = (/** @type {string} */ path) => found[path]?.version === wanted[path].version
  return (
    Object.keys(wanted).every((path) => path === '' || (wanted[path].optional && !(path in found)) || same(path)) &&
    Object.keys(found).every((path) => path in wanted)
  )
}

async function install() {
  say(existsSync(inRoot('node_modules')) ? 'Dependencies changed: installing them again' : 'Installing dependencies')
  const { code, output, timedOut } = await npm(['ci'], { limitMs: 900_000 })
  if (code === 0) return
  const what = timedOut ? 'npm ci did not end within 15 minutes' : 'npm ci failed'
  // The error comes first; usage text may follow.
  const errors = output
    .split('\n')
    .filter((line) => line.startsWith('npm error'))
    .slice(0, 12)
  const told = tail(errors.length > 0 ? errors.join('\n') : output)
  throw new Failure(`The dependencies could not be installed: ${what}. Is the npm registry reachable?\n${told}`)
}
