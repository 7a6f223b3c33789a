/** @file The certificates of this copy of Mien: `signing.json` in the data folder. The private keys are in the keychain. */
import { X509Certificate, randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** A certificate: base64 of its DER. */
const certificateSchema = z
  .string()
  .max(20_000)
  .refine((text) => {
    try {
      return new X509Certificate(Buffer.from(text, 'base64')).raw.length > 0
    } catch {
      return false
    }
  })

const signingSchema = z.object({
  /** Separates the keychain's entries of different data folders. */
  id: z
    .string()
    .min(8)
    .max(64)
    .catch(() => randomUUID()),
  /** Of this copy's key in the keychain, its own first; empty before the first one was made. */
  chain: z.array(certificateSchema).max(10).catch([]),
  /** An organisation's; null: none. */
  organisation: z.array(certificateSchema).min(1).max(10).nullable().catch(null),
  /** Every authority that this copy made. */
  known: z.array(certificateSchema).max(200).catch([]),
})
export type StoredSigning = z.output<typeof signingSchema>

export class SigningFile {
  readonly #path: string

  constructor(dir: string) {
    this.#path = join(dir, 'signing.json')
  }

  /** A missing or damaged file, or an invalid part of it, counts as empty: the next key is a new one. */
  read(): StoredSigning {
    let content: unknown = {}
    try {
      content = JSON.parse(readFileSync(this.#path, 'utf8'))
    } catch {
      // As above.
    }
    return signingSchema.catch(() => signingSchema.parse({})).parse(content)
  }

  /** Replaces the file at once: another Mien may read it. @throws file system errors */
  write(signing: StoredSigning): void {
    const temporary = `${this.#path}.${String(process.pid)}`
    const file = openSync(temporary, 'w', 0o600)
    try {
      writeSync(file, JSON.stringify(signing, null, 2))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, this.#path)
  }
}
