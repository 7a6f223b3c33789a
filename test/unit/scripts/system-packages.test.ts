import { describe, expect, it } from 'vitest'
import { missingLibraries, packagesFor } from '../../../scripts/lib/system-packages.mjs'

const nothing = { libraries: [], commands: [], fonts: false }
const bookworm = (name: string) => !name.endsWith('t64')
const trixie = (name: string) => !['libgtk-3-0', 'libasound2', 'libcups2', 'libglib2.0-0'].includes(name)

describe('packagesFor', () => {
  it('asks for nothing when nothing is missing', () => {
    expect(packagesFor(nothing, bookworm)).toEqual({ packages: [], unknown: [] })
  })

  it.each([
    ['Debian 12', bookworm, ['libasound2', 'libcups2', 'libgtk-3-0']],
    ['Debian 13 and newer', trixie, ['libasound2t64', 'libcups2t64', 'libgtk-3-0t64']],
  ])('takes the names of %s', (_, isKnown, packages) => {
    const libraries = ['libgtk-3.so.0', 'libasound.so.2', 'libcups.so.2']
    expect(packagesFor({ ...nothing, libraries }, isKnown).packages).toEqual(packages)
  })

  it('names a package once, however many of its files are missing', () => {
    const libraries = ['libnss3.so', 'libnssutil3.so', 'libsmime3.so']
    expect(packagesFor({ ...nothing, libraries }, bookworm).packages).toEqual(['libnss3'])
  })

  it('brings a screen, a keyring and a font', () => {
    const missing = { libraries: [], commands: ['Xvfb', 'dbus-daemon', 'gnome-keyring-daemon'], fonts: true }
    expect(packagesFor(missing, bookworm).packages).toEqual([
      'dbus-daemon',
      'fonts-dejavu-core',
      'gnome-keyring',
      'xvfb',
    ])
  })

  it('takes the oldest name where the list of packages is empty', () => {
    expect(packagesFor({ ...nothing, libraries: ['libgtk-3.so.0'] }, () => false).packages).toEqual(['libgtk-3-0'])
  })

  it('tells what it knows no package for', () => {
    expect(packagesFor({ ...nothing, libraries: ['libother.so.9'] }, bookworm).unknown).toEqual(['libother.so.9'])
  })
})

it('missingLibraries reads the names that were not found, once each, over several files', () => {
  const output = [
    '/app/electron:',
    '\tlinux-vdso.so.1 (0x00007ffc)',
    '\tlibgtk-3.so.0 => not found',
    '\tlibc.so.6 => /lib/libc.so.6 (0x00007f)',
    '/app/keytar.node:',
    '\tlibgtk-3.so.0 => not found',
    '\tlibsecret-1.so.0 => not found',
  ].join('\n')
  expect(missingLibraries(output)).toEqual(['libgtk-3.so.0', 'libsecret-1.so.0'])
})
