/** @file Fingerprints of certificates. Pure. */
import { createHash } from 'node:crypto'

/** `sha256/<base64>` of a certificate's DER, as Electron's verify proc has it. */
export const fingerprintOf = (der: Uint8Array): string => `sha256/${createHash('sha256').update(der).digest('base64')}`
