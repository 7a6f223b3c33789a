/**
 * @file Maps missing libraries and commands to Debian packages. Pure.
 * If releases name a package differently, the newer name comes first, and the first one that apt knows is used.
 */

/** @type {Record<string, string[]>} */
const byLibrary = {
  'libX11.so.6': ['libx11-6'],
  'libXcomposite.so.1': ['libxcomposite1'],
  'libXdamage.so.1': ['libxdamage1'],
  'libXext.so.6': ['libxext6'],
  'libXfixes.so.3': ['libxfixes3'],
  'libXrandr.so.2': ['libxrandr2'],
  'libXtst.so.6': ['libxtst6'],
  'libasound.so.2': ['libasound2t64', 'libasound2'],
  'libatk-1.0.so.0': ['libatk1.0-0t64', 'libatk1.0-0'],
  'libatk-bridge-2.0.so.0': ['libatk-bridge2.0-0t64', 'libatk-bridge2.0-0'],
  'libatspi.so.0': ['libatspi2.0-0t64', 'libatspi2.0-0'],
  'libcairo.so.2': ['libcairo2'],
  'libcups.so.2': ['libcups2t64', 'libcups2'],
  'libdbus-1.so.3': ['libdbus-1-3'],
  'libdrm.so.2': ['libdrm2'],
  'libexpat.so.1': ['libexpat1'],
  'libgbm.so.1': ['libgbm1'],
  'libgdk_pixbuf-2.0.so.0': ['libgdk-pixbuf-2.0-0'],
  'libgio-2.0.so.0': ['libglib2.0-0t64', 'libglib2.0-0'],
  'libglib-2.0.so.0': ['libglib2.0-0t64', 'libglib2.0-0'],
  'libgobject-2.0.so.0': ['libglib2.0-0t64', 'libglib2.0-0'],
  'libgtk-3.so.0': ['libgtk-3-0t64', 'libgtk-3-0'],
  'libnspr4.so': ['libnspr4'],
  'libnss3.so': ['libnss3'],
  'libnssutil3.so': ['libnss3'],
  'libpango-1.0.so.0': ['libpango-1.0-0'],
  'libsecret-1.so.0': ['libsecret-1-0'],
  'libsmime3.so': ['libnss3'],
  'libudev.so.1': ['libudev1'],
  'libxcb.so.1': ['libxcb1'],
  'libxkbcommon.so.0': ['libxkbcommon0'],
}

/** @type {Record<string, string[]>} */
const byCommand = {
  '7za': ['p7zip-full', '7zip'],
  Xvfb: ['xvfb'],
  'dbus-daemon': ['dbus-daemon', 'dbus'],
  'desktop-file-validate': ['desktop-file-utils'],
  ffmpeg: ['ffmpeg'],
  gio: ['libglib2.0-bin'],
  'gnome-keyring-daemon': ['gnome-keyring'],
  initdb: ['postgresql'],
  mksquashfs: ['squashfs-tools'],
  rpmbuild: ['rpm'],
  setpriv: ['util-linux'],
  strace: ['strace'],
  tar: ['tar'],
  unsquashfs: ['squashfs-tools'],
}

/**
 * @typedef {object} Missing
 * @property {string[]} libraries sonames that the loader did not find
 * @property {string[]} commands programs that are not on PATH
 * @property {boolean} fonts true if the machine has no fonts
 */

/**
 * @param {Missing} missing
 * @param {(name: string) => boolean} isKnown whether apt knows a package
 * @returns {{ packages: string[], unknown: string[] }} sorted packages to install; `unknown`: items without a package
 */
export function packagesFor(missing, isKnown) {
  const packages = new Set()
  /** @type {string[]} */
  const unknown = []
  const add = (/** @type {string} */ what, /** @type {string[] | undefined} */ names) => {
    if (!names) return void unknown.push(what)
    packages.add(names.find(isKnown) ?? names.at(-1))
  }
  for (const library of missing.libraries) add(library, byLibrary[library])
  for (const command of missing.commands) add(command, byCommand[command])
  if (missing.fonts) add('fonts', ['fonts-dejavu-core'])
  return { packages: [...packages].sort(), unknown }
}

/**
 * Parses the sonames that `ldd` reports as not found.
 * @param {string} output
 * @returns {string[]}
 */
export function missingLibraries(output) {
  const names = [...output.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name ?? '')
  return [...new Set(names)]
}
