/** @file Determines from the environment what can be signed. Pure; electron-builder reads the secrets. */

/** Environment variables that electron-builder reads for signing. */
export const signingNames = [
  ...['CSC_LINK', 'CSC_KEY_PASSWORD', 'CSC_NAME', 'WIN_CSC_LINK', 'WIN_CSC_KEY_PASSWORD'],
  ...['APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER'],
  ...['APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID'],
]

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ mac: boolean, notarize: boolean, win: boolean }}
 */
export function signing(env) {
  const has = (/** @type {string[]} */ ...names) => names.every((name) => Boolean(env[name]))
  const mac = has('CSC_LINK') || has('CSC_NAME')
  const apple =
    has('APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER') ||
    has('APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID')
  return { mac, notarize: mac && apple, win: has('WIN_CSC_LINK') || has('CSC_LINK') }
}

/**
 * Messages about missing signatures.
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Platform} platform
 * @returns {string[]} sentences; empty if nothing is missing
 */
export function unsignedNotices(env, platform) {
  const { mac, notarize, win } = signing(env)
  if (platform === 'darwin' && !mac) {
    return ['NOT SIGNED: no CSC_LINK or CSC_NAME. macOS opens this package only after its user allowed it in Settings.']
  }
  if (platform === 'darwin' && !notarize) {
    return ['NOT NOTARISED: no APPLE_API_KEY (with _ID and _ISSUER). macOS warns before it opens this package.']
  }
  if (platform === 'win32' && !win) {
    return ['NOT SIGNED: no WIN_CSC_LINK. Windows warns (SmartScreen) before it runs this installer.']
  }
  return []
}
