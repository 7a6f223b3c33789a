/** @file How the certificates of a copy of Mien are named. Anybody can write these names into a certificate. */

/** The organisation. */
export const copyName = 'Copy of Mien'

/** The common name. @param keyId eight hex digits in two groups */
export const commonNameOf = (keyId: string): string => `Mien ${keyId}`

/** The key's id in a common name; null in others. */
export const keyIdIn = (commonName: string): string | null =>
  /^Mien ([0-9A-F]{4} [0-9A-F]{4})$/.exec(commonName)?.[1] ?? null
