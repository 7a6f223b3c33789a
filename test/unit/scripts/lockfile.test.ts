import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Entry {
  optionalDependencies?: Record<string, string>
  resolved?: string
}

const lockfile: unknown = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'))
// npm wrote it; a file of another shape fails the tests below.
const packages = (lockfile as { packages: Record<string, Entry> }).packages

/** Whether a package finds another, in its own node_modules or in one above. */
function finds(from: string, name: string): boolean {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (path in packages) return true
  if (from === '') return false
  const above = from.lastIndexOf('/node_modules/')
  return finds(above < 0 ? '' : from.slice(0, above), name)
}

it('has an entry for every optional package, also of other platforms: npm ci refuses a lockfile without them', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !finds(path, name)),
  )
  expect(missing).toEqual([])
})

it('names no registry', () => {
  const named = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)
  expect(named).toEqual([])
})
