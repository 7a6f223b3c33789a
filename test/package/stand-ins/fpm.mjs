#!/usr/bin/env node
/**
 * @file Stands in for fpm where it cannot be downloaded, FOR TESTS ONLY: makes a deb with dpkg-deb and an rpm with
 * rpmbuild from the arguments that electron-builder gives, and refuses any it does not know.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const text = /** @type {const} */ ({ type: 'string', default: '' })
/** @satisfies {import('node:util').ParseArgsOptionDescriptor} */
const list = { type: /** @type {const} */ ('string'), multiple: /** @type {const} */ (true), default: [''].slice(1) }
const { values: given, positionals: mappings } = parseArgs({
  allowPositionals: true,
  options: {
    source: { ...text, short: 's' },
    target: { ...text, short: 't' },
    depends: { ...list, short: 'd' },
    force: { type: 'boolean' },
    'deb-recommends': list,
    'rpm-rpmbuild-define': list,
    architecture: text,
    'after-install': text,
    'after-remove': text,
    description: text,
    version: text,
    package: text,
    name: text,
    maintainer: text,
    vendor: text,
    url: text,
    category: text,
    license: text,
    'deb-priority': text,
    'deb-compression': text,
    'rpm-summary': text,
    'rpm-compression': text,
    'rpm-os': text,
  },
})

const work = mkdtempSync(join(tmpdir(), 'mien-fpm-'))
const root = join(work, 'root')
const paragraphs = given.description
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line !== '')

/** Lays the files out as they will be on the machine. A folder is written `folder/=target`. */
function layOut() {
  for (const mapping of mappings) {
    const at = mapping.lastIndexOf('=')
    const to = join(root, mapping.slice(at + 1))
    mkdirSync(dirname(to), { recursive: true })
    cpSync(mapping.slice(0, at), to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  }
  execFileSync('chmod', ['-R', 'u+rwX,go+rX,go-w', root])
}

function deb() {
  const control = join(root, 'DEBIAN')
  const size = execFileSync('du', ['-sk', root], { encoding: 'utf8' }).split('\t')[0] ?? '0'
  mkdirSync(control)
  const fields = {
    Package: given.name,
    Version: given.version,
    Architecture: given.architecture,
    Maintainer: given.maintainer,
    'Installed-Size': size,
    Depends: given.depends.join(', '),
    Recommends: given['deb-recommends'].join(', '),
    Section: given.category,
    Priority: given['deb-priority'],
    Homepage: given.url,
    Description: paragraphs.join('\n '),
  }
  const lines = Object.entries(fields).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]))
  writeFileSync(join(control, 'control'), `${lines.join('\n')}\n`)
  for (const [script, name] of /** @type {const} */ ([
    ['after-install', 'postinst'],
    ['after-remove', 'postrm'],
  ])) {
    copyFileSync(given[script], join(control, name))
    chmodSync(join(control, name), 0o755)
  }
  // gz is asked for where only time counts (--quick).
  const compression = given['deb-compression'] === 'gz' ? ['-Zgzip', '-z1'] : [`-Z${given['deb-compression']}`]
  execFileSync('dpkg-deb', ['--root-owner-group', ...compression, '--build', root, given.package])
}

function rpm() {
  const files = execFileSync('find', [root, '(', '-type', 'f', '-o', '-type', 'l', ')', '-printf', '"/%P"\\n'], {
    encoding: 'utf8',
  })
  const script = (/** @type {string} */ path) => readFileSync(path, 'utf8').replaceAll('%', '%%')
  const spec = [
    ...given['rpm-rpmbuild-define'].map((define) => `%define ${define}`),
    // The files are as they must be: nothing is to be stripped, compiled or looked through.
    ...['%global debug_package %{nil}', '%global __os_install_post %{nil}', '%define _binary_payload w3.zstdio'],
    `Name: ${given.name}`,
    `Version: ${given.version}`,
    'Release: 1',
    `Summary: ${given['rpm-summary']}`,
    `License: ${given.license}`,
    `Group: ${given.category}`,
    `Vendor: ${given.vendor}`,
    `Packager: ${given.maintainer}`,
    `URL: ${given.url}`,
    'AutoReqProv: no',
    ...given.depends.map((name) => `Requires: ${name}`),
    ...['%description', ...paragraphs],
    ...['%post', script(given['after-install']), '%postun', script(given['after-remove'])],
    ...['%files', '%defattr(-,root,root,-)', files],
  ]
  writeFileSync(join(work, 'mien.spec'), `${spec.join('\n')}\n`)
  const define = ['--define', `_topdir ${join(work, 'top')}`, '--define', `_rpmdir ${join(work, 'rpms')}`]
  const args = ['-bb', '--buildroot', root, '--target', given.architecture, ...define, join(work, 'mien.spec')]
  execFileSync('rpmbuild', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const made = readdirSync(join(work, 'rpms'), { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('.rpm'),
  )
  if (!made) throw new Error('rpmbuild made no package')
  copyFileSync(join(work, 'rpms', made), given.package)
}

try {
  layOut()
  if (given.target === 'deb') deb()
  else if (given.target === 'rpm') rpm()
  else throw new Error(`no stand-in for ${given.target}`)
} finally {
  rmSync(work, { recursive: true, force: true })
}
