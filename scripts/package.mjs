/**
 * @file `npm run package -- [--stand-ins [--quick]] [--set key=value]… [target…] [--x64] [--arm64]`: builds the app and
 * packages it for this system into `dist/`. `--set` overrides one value of electron-builder.mjs. `--stand-ins` is for
 * tests on linux-x64 without access to electron-builder's tools or the official Electron; its output must not be
 * released. `--quick` compresses less.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBuilt } from './build.mjs'
import { Failure, cacheDir, inRoot, main, readText, runTool, say, toolEnv } from './lib/run.mjs'
import { ensureSystem, which } from './lib/system.mjs'
import { signingNames, unsignedNotices } from './package/signing.mjs'
import { setup } from './setup.mjs'

const standInWarning =
  'FOR TESTS ONLY, NEVER A RELEASE: packaged by stand-ins for the real tools, around the Electron that runs the tests.'

/** electron-builder flags by platform. */
const systems = /** @type {Record<string, string>} */ ({ linux: '--linux', darwin: '--mac', win32: '--win' })

await main(async () => {
  const { values, positionals: targets } = parseArgs({
    allowPositionals: true,
    options: {
      'stand-ins': { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      set: { type: 'string', multiple: true, default: [] },
      x64: { type: 'boolean', default: false },
      arm64: { type: 'boolean', default: false },
    },
  })
  const system = systems[process.platform]
  if (!system) throw new Failure(`There are no packages for ${process.platform}.`)
  const runtime = await setup({ screen: false })
  await ensureBuilt()
  const args = ['--config', 'electron-builder.mjs', '--publish', 'never', system, ...targets]
  for (const arch of /** @type {const} */ (['x64', 'arm64'])) if (values[arch]) args.push(`--${arch}`)
  /** @type {NodeJS.ProcessEnv} */
  let env = {}
  if (values['stand-ins']) {
    say(standInWarning)
    if (!values.arm64 && !values.x64) args.push('--x64')
    const electron = dirname(runtime.electron)
    args.push(`-c.electronDist=${electron}`, `-c.electronVersion=${readText(join(electron, 'version'))?.trim()}`)
    if (values.quick) args.push('-c.deb.compression=gz')
    env = await standIns(values.quick)
  } else {
    // Hosted CI passes an unset secret as an empty string.
    for (const name of signingNames) if (process.env[name] === '') env[name] = undefined
    for (const notice of unsignedNotices(process.env, process.platform)) say(notice)
    // Otherwise electron-builder signs with any identity that it finds in the keychain.
    if (process.platform === 'darwin' && !process.env['CSC_NAME']) env['CSC_IDENTITY_AUTO_DISCOVERY'] = 'false'
  }
  args.push(...values.set.map((each) => `-c.${each}`))
  const { code } = await runTool('electron-builder/cli.js', args, {
    env: toolEnv(env),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (values['stand-ins']) say(standInWarning)
  return code
})

/**
 * Assembles the tools that electron-builder would download. Uses Debian packages and test/package/stand-ins.
 * @returns {Promise<NodeJS.ProcessEnv>} environment that makes electron-builder use them
 */
async function standIns(/** @type {boolean} */ quick) {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Failure('The stand-ins are for linux-x64.')
  const tools = ['7za', 'mksquashfs', 'unsquashfs', 'desktop-file-validate', 'dpkg-deb', 'rpmbuild']
  await ensureSystem({ electron: process.execPath, commands: tools })
  const own = inRoot('test', 'package', 'stand-ins')
  const appImage = join(cacheDir, 'stand-ins', 'appimage')
  rmSync(appImage, { recursive: true, force: true })
  for (const folder of ['runtimes', 'lib/x64']) mkdirSync(join(appImage, folder), { recursive: true })
  symlinkSync(which('desktop-file-validate') ?? '', join(appImage, 'desktop-file-validate'))
  const squash = `#!/bin/sh\nexec ${which('mksquashfs')} "$@"${quick ? ' -Xcompression-level 1' : ''}\n`
  writeFileSync(join(appImage, 'mksquashfs'), squash, { mode: 0o755 })
  writeFileSync(join(appImage, 'runtimes', 'runtime-x64'), runtimeOf(join(own, 'appimage-runtime.sh')))
  const fpm = join(own, 'fpm.mjs')
  if (existsSync(fpm)) chmodSync(fpm, 0o755)
  return { ELECTRON_BUILDER_7ZIP_PATH: which('7za') ?? '', CUSTOM_FPM_PATH: fpm, APPIMAGE_TOOLS_PATH: appImage }
}

/** Inserts the script's length into the script; the image starts right after its last line. */
function runtimeOf(/** @type {string} */ file) {
  const text = readFileSync(file, 'utf8')
  // Padded to five characters, so that the number doesn't change the length.
  const length = Buffer.byteLength(text) - '@LENGTH@'.length + 5
  return text.replace('@LENGTH@', String(length).padEnd(5))
}
