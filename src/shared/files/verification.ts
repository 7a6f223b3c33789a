/** @file What a file's content credentials (C2PA) say about it, as the studio and `mien verify` show it. */
import { z } from 'zod'

/**
 * What can be said of a file.
 *
 * - `unchanged`: the credentials are whole, and the file is as it was signed.
 * - `changed`: the credentials are whole, but picture or sound are not what was signed.
 * - `forged`: the credentials were changed after they were signed, or their signature doesn't belong to them.
 * - `broken`: there are credentials, but they can't be read.
 * - `stripped`: there are none, but marks in the file say that Mien made it.
 * - `none`: there are none.
 * - `unsupported`: a file of this type has no place for credentials, or isn't a picture or video.
 */
export const verdicts = ['unchanged', 'changed', 'forged', 'broken', 'stripped', 'none', 'unsupported'] as const

/** Who signed. Only `this-copy` is certain: its key was made by this copy of Mien. */
export const signerKinds = ['this-copy', 'other-copy', 'organisation', 'other'] as const

const ingredientSchema = z.object({
  /** `parent`: what was edited. `input`: what was used for it, such as a face. */
  role: z.enum(['parent', 'input']),
  /** File name, if it was included. */
  name: z.string().nullable(),
  kind: z.enum(['video', 'picture', 'face', 'other']),
  /** SHA-256 of its content, in hex; null if it wasn't recorded. */
  sha256: z.string().nullable(),
  /** Verdict about its credentials when it was used; null: it had none. */
  credentials: z.enum(['unchanged', 'changed', 'broken']).nullable(),
  /** Who signed those. */
  signedBy: z.string().nullable(),
})

export const verificationSchema = z.object({
  verdict: z.enum(verdicts),
  file: z.object({ name: z.string(), sizeBytes: z.int(), type: z.string().nullable() }),
  signer: z
    .object({
      kind: z.enum(signerKinds),
      /** Name in the certificate, as written by whoever made it. */
      name: z.string(),
      /** Of a copy of Mien: eight hex digits, such as `4F2A 91C7`; else null. */
      keyId: z.string().nullable(),
      /** Whether the certificate was valid when the file was signed, as far as can be seen. */
      isExpired: z.boolean(),
    })
    .nullable(),
  /** Time of the edit by the clock of the computer that made it; ISO 8601. Nobody confirmed it. */
  signedAt: z.string().nullable(),
  /** Program that made the file. */
  madeWith: z.object({ name: z.string(), version: z.string().nullable(), system: z.string().nullable() }).nullable(),
  /** What was done, first to last. */
  actions: z.array(
    z.object({
      /** Such as `c2pa.opened`, `c2pa.edited`. */
      action: z.string(),
      description: z.string().nullable(),
      /** Last part of the IPTC address, such as `composite`. */
      digitalSourceType: z.string().nullable(),
    }),
  ),
  ingredients: z.array(ingredientSchema),
  /** What Mien adds; null for files of other programs. */
  swap: z
    .object({
      made: z.enum(['here', 'fetched']),
      /** Name of the service it was fetched from. */
      service: z.string().nullable(),
      /** `built-in`, or the name of a model. */
      method: z.string().nullable(),
      /** In percent. */
      likeness: z.number().nullable(),
      frames: z.int().nullable(),
      swappedFrames: z.int().nullable(),
    })
    .nullable(),
  /** Codes of C2PA's specification for everything that is wrong, such as `assertion.bmffHash.mismatch`. */
  problems: z.array(z.string()),
})
export type Verification = z.infer<typeof verificationSchema>
export type Verdict = Verification['verdict']

/** Who signs the results of this Mien. */
export interface SigningView {
  kind: 'this-copy' | 'organisation'
  /** As in the certificate; null: there is none yet. */
  name: string | null
  keyId: string | null
  /** Where the key of this copy is; null: not used in this run. */
  kept: 'keychain' | 'session' | null
  /** Whether a policy sets the certificate. */
  isFixed: boolean
  /** Why the organisation's certificate isn't used, so that this copy signs. */
  problem: 'expired' | 'unusable' | null
}

/** A file whose credentials can be verified. `token` names it in `verify`; `media`: what can be shown of it. */
export interface GivenFile {
  token: string
  name: string
  sizeBytes: number
  media: { id: string; kind: 'picture' | 'video' } | null
}

/** `thumbnails`: media ids for the ingredients, in their order; null where the library has none. */
export interface VerifiedFile {
  verification: Verification
  thumbnails: (string | null)[]
}
