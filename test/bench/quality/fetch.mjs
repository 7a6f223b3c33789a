/** @file Packages that only the benchmark needs, in a folder of their own. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installs packages into a folder of their own unless they are there. @param {string} folder @param {string[]} names */
export function fetchPackages(folder, names) {
  const stamp = join(folder, '.fetched')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === names.join(' ')) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const quietly = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--loglevel=error']
  execFileSync('npm', ['install', ...quietly, ...names], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  writeFileSync(stamp, names.join(' '))
}

/** Fetches one package without its dependencies. @param {string} folder @param {string} name @returns {string} its folder */
export function fetchFiles(folder, name) {
  const unpacked = join(folder, 'package')
  if (existsSync(unpacked)) return unpacked
  mkdirSync(folder, { recursive: true })
  const said = execFileSync('npm', ['pack', '--silent', name], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  const file = said.toString().trim().split('\n').at(-1) ?? ''
  execFileSync('tar', ['xzf', file], { cwd: folder })
  return unpacked
}
