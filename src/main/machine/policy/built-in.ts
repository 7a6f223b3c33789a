/** @file Update constants of the build; they can't be changed from outside a packaged app. */
import type { Settings } from '@shared/settings/settings.ts'

/** Injected by the build (electron.vite.config.ts). */
declare const __MIEN_UPDATE_KEYS__: readonly string[]

/** Two keys, so that one can be replaced while the other is still valid. Base64 of SPKI DER. */
export const publicKeys = (): readonly string[] => __MIEN_UPDATE_KEYS__

export type Channel = Settings['updateChannel']

const releases = 'https://github.com/mien-studio/mien/releases'

/** Base URLs of feeds: the newest release, or the release named `beta`. */
export const defaultAddress: Readonly<Record<Channel, string>> = {
  stable: `${releases}/latest/download`,
  beta: `${releases}/download/beta`,
}

/** electron-builder's channel name. */
export const feedChannel: Readonly<Record<Channel, string>> = { stable: 'latest', beta: 'beta' }
