/** @file What a build knows about updates; nothing of it can be changed from outside a packaged app. */

/** Put in by the build (electron.vite.config.ts). */
declare const __MIEN_UPDATE_KEYS__: readonly string[]

/** Two, so that one can be replaced while the other still counts. Base64 of SPKI DER. */
export const publicKeys = (): readonly string[] => __MIEN_UPDATE_KEYS__

export type Channel = 'stable' | 'beta'

const releases = 'https://github.com/mien-studio/mien/releases'

/** Where feeds lie. The newest release, or the one that is always named `beta`. */
export const defaultAddress: Readonly<Record<Channel, string>> = {
  stable: `${releases}/latest/download`,
  beta: `${releases}/download/beta`,
}

/** electron-builder's name of a channel's feed. */
export const feedChannel: Readonly<Record<Channel, string>> = { stable: 'latest', beta: 'beta' }
