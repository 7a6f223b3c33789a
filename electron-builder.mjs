/**
 * @file Packaging configuration (electron-builder 26). A package contains only what this file lists: the build output,
 * the native module of its platform, weights, sample media and notices. Signing depends only on the environment.
 */
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { flipFuses } from '@electron/fuses'
import { fuses } from './scripts/package/fuses.mjs'
import { signing } from './scripts/package/signing.mjs'
import { readablePictures, readableVideos } from './src/shared/files/media-names.ts'

const built = resolve(process.env['MIEN_OUT'] ?? 'out')
const sign = signing(process.env)

/** Chromium's texts (context menus of text fields, dialogs) in the languages that Mien supports. */
const electronLanguages = readdirSync('src/shared/i18n/messages').map((name) => basename(name, '.json'))

/** keytar ships binaries for all platforms; a package contains only the one for its platform. */
const keytar = (/** @type {string} */ platform) => [
  {
    from: 'node_modules/keytar',
    to: 'node_modules/keytar',
    filter: ['package.json', 'lib/*.js', `prebuilds/${platform}-\${arch}/*.node`],
  },
]

/**
 * Builds each target for both architectures.
 * @template {string} T
 * @param {T[]} targets
 */
const onBoth = (targets) =>
  targets.map((target) => ({ target, arch: /** @type {('x64' | 'arm64')[]} */ (['x64', 'arm64']) }))

/** Removes Electron files that an app doesn't need, and sets the fuses in the binary. */
async function afterPack(/** @type {import('electron-builder').AfterPackContext} */ context) {
  const { appOutDir, packager, electronPlatformName } = context
  await rm(join(packager.getResourcesDir(appOutDir), 'default_app.asar'), { force: true })
  if (electronPlatformName !== 'darwin') await rm(join(appOutDir, 'version'), { force: true })
  const name = packager.appInfo.productFilename
  const binary = { darwin: `${name}.app`, win32: `${name}.exe` }[electronPlatformName] ?? 'mien'
  await flipFuses(join(appOutDir, binary), fuses)
}

/** @type {import('electron-builder').Configuration} */
export default {
  appId: 'studio.mien.Mien',
  productName: 'Mien',
  copyright: 'Copyright © 2026 The Mien authors',
  artifactName: 'Mien-${os}-${arch}.${ext}',
  directories: { output: 'dist', buildResources: 'resources/icons' },
  // The native module is prebuilt with Node-API, so nothing is compiled during packaging.
  npmRebuild: false,
  asar: true,
  // The system can only load a library from a real file.
  asarUnpack: ['**/*.node'],
  electronLanguages,
  files: [
    'package.json',
    // electron-builder would add all production dependencies, but they are already bundled.
    '!node_modules/**',
    { from: built, to: 'out', filter: ['{main,preload,renderer}/**', '!**/*.map'] },
  ],
  extraResources: [
    // Read by path and in byte ranges, which an asar archive doesn't support.
    {
      from: 'resources',
      to: 'resources',
      filter: ['models/*', 'sample/*', 'icons/linux/32x32.png', 'NOTICE.md', 'licences.txt'],
    },
    { from: '.', to: 'resources', filter: ['LICENSE', 'NOTICE'] },
  ],
  afterPack,
  toolsets: { appimage: '1.0.3' },
  // The updater looks here. It only trusts the signed feed.
  publish: { provider: 'generic', url: 'https://github.com/mien-studio/mien/releases/latest/download' },

  win: {
    target: onBoth(['nsis', 'zip']),
    icon: 'resources/icons/mien.ico',
    files: keytar('win32'),
  },
  nsis: {
    artifactName: 'Mien-Setup-${arch}.${ext}',
    // Installs for the current user, without administrator rights. One installer per architecture.
    oneClick: true,
    perMachine: false,
    buildUniversalInstaller: false,
    deleteAppDataOnUninstall: false,
    include: 'resources/windows/open-with.nsh',
  },

  mac: {
    target: onBoth(['dmg', 'zip']),
    icon: 'resources/icons/mien.icns',
    category: 'public.app-category.video',
    // For "Open with": another program stays the default.
    fileAssociations: [
      { ext: [...readablePictures], name: 'Picture', role: 'Editor', rank: 'Alternate' },
      { ext: [...readableVideos], name: 'Video', role: 'Editor', rank: 'Alternate' },
    ],
    files: keytar('darwin'),
    entitlements: 'resources/entitlements/mac.plist',
    entitlementsInherit: 'resources/entitlements/mac.plist',
    // Without a certificate, sign ad hoc: Apple silicon requires a signature. Ad hoc excludes the hardened runtime.
    ...(sign.mac ? { hardenedRuntime: true } : { hardenedRuntime: false, identity: '-' }),
    extendInfo: { NSLocalNetworkUsageDescription: 'Mien looks for servers on your network when you ask for it.' },
    gatekeeperAssess: false,
    notarize: sign.notarize,
  },

  linux: {
    target: onBoth(['AppImage', 'deb', 'rpm', 'tar.gz']),
    icon: 'resources/icons/linux',
    executableName: 'mien',
    syncDesktopName: true,
    category: 'AudioVideo;Video;AudioVideoEditing',
    mimeTypes: [
      ...['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif', 'image/bmp'],
      ...['video/mp4', 'video/quicktime', 'video/webm', 'video/x-matroska'],
    ],
    synopsis: 'Desktop studio for face-swap video',
    description: 'Put a face from a picture into a video: on this computer, or with an online service.',
    maintainer: 'The Mien authors <mien-studio@users.noreply.github.com>',
    vendor: 'The Mien authors',
    desktop: {
      entry: { GenericName: 'Face-swap studio', Keywords: 'face;swap;video;', StartupNotify: 'true' },
    },
    files: keytar('linux'),
    // For AppImage, electron-builder would add --no-sandbox by default.
    executableArgs: [],
  },
  deb: {
    afterInstall: 'resources/linux/after-install.sh',
    afterRemove: 'resources/linux/after-remove.sh',
    packageCategory: 'video',
    depends: [
      'libasound2',
      'libatspi2.0-0',
      'libcups2',
      'libgbm1',
      'libgtk-3-0',
      'libnss3',
      'libsecret-1-0',
      'libudev1',
    ],
    // gio moves files to the trash.
    recommends: ['gnome-keyring', 'libglib2.0-bin', 'xdg-utils'],
  },
  rpm: {
    afterInstall: 'resources/linux/after-install.sh',
    afterRemove: 'resources/linux/after-remove.sh',
    packageCategory: 'Applications/Multimedia',
    depends: [
      '(alsa-lib or libasound2)',
      '(libsecret or libsecret-1-0)',
      '(mesa-libgbm or libgbm1)',
      'at-spi2-core',
      'gtk3',
      'nss',
      'xdg-utils',
    ],
    // All Electron apps contain the same binaries, so their build-id links would conflict.
    fpm: ['--rpm-rpmbuild-define=_build_id_links none'],
  },
}
