/** @file Compares a film that Mien kept with the service's: Mien signs results, which adds a box to the file. */

/** The `uuid` of the box with content credentials (C2PA 2.2, section A.5). */
const credentials = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex')

/** Whether `kept` is `film`, byte for byte, but for one box with content credentials. */
export function isFilm(kept: Buffer, film: Buffer): boolean {
  for (let at = 0; at + 8 <= kept.length;) {
    const end = at + kept.readUInt32BE(at)
    if (end < at + 8 || end > kept.length) break
    const isUuid = kept.toString('latin1', at + 4, at + 8) === 'uuid'
    if (isUuid && kept.subarray(at + 8, at + 24).equals(credentials))
      return Buffer.concat([kept.subarray(0, at), kept.subarray(end)]).equals(film)
    at = end
  }
  return kept.equals(film)
}
