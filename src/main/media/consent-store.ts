/**
 * @file Consents in the library, one row each. The consent of a face is the one that isn't withdrawn, else the last one.
 * Another program may have changed the rows, so their values are checked when they are read.
 */
import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { maxConsentText, plainText, type ConsentDetails, type Release } from '@shared/tasks/consent.ts'
import { inTransaction } from '../machine/disk/sqlite.ts'

/** Migration: the faces that were confirmed become consents. */
export const addConsents = `
  CREATE TABLE consents (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    face TEXT NOT NULL,
    name TEXT NOT NULL,
    at INTEGER NOT NULL,
    given_by TEXT NOT NULL DEFAULT '',
    purpose TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    release_sha256 TEXT,
    release_name TEXT,
    release_bytes INTEGER,
    withdrawn_at INTEGER
  ) STRICT;
  CREATE INDEX consents_by_face ON consents (face);
  CREATE UNIQUE INDEX consents_given ON consents (face) WHERE withdrawn_at IS NULL;
  CREATE INDEX media_by_content ON media (sha256) WHERE sha256 IS NOT NULL;
  INSERT INTO consents (id, face, name, at)
    SELECT lower(hex(randomblob(16))), sha256, coalesce(
      (SELECT info ->> '$.name' FROM media WHERE media.sha256 = confirmed_faces.sha256 AND json_valid(info) LIMIT 1), ''), at
    FROM confirmed_faces;
  DROP TABLE confirmed_faces;
`

/** Row numbers of the swaps with a face (parameter, twice): as a face, or as another photo of a person. */
const swapsOf = `
  SELECT listed_faces.number FROM faces JOIN listed_faces ON listed_faces.face = faces.number WHERE faces.key = ?
  UNION SELECT listed.number FROM media JOIN task_pictures ON media_id = media.id JOIN listed USING (task_id)
    WHERE sha256 = ?`

export interface Consent extends ConsentDetails {
  id: string
  face: string
  name: string
  at: number
  withdrawnAt: number | null
  release: Release | null
}

/** Whether a text is a SHA-256 in hex. */
export const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
/** The times that a Date can have. */
const time = z.bigint().transform(Number).pipe(z.int().min(0).max(8.64e15))
const text = (max: number) => z.string().transform((value) => plainText(value).slice(0, max))
const row = z.object({
  id: z.string(),
  face: z.string(),
  name: text(255),
  at: time.catch(0),
  given_by: text(maxConsentText.by),
  purpose: text(maxConsentText.purpose),
  note: text(maxConsentText.note),
  release_sha256: z.string().refine(isHash).nullable().catch(null),
  release_name: text(255).nullable(),
  release_bytes: z.bigint().transform(Number).pipe(z.int().min(0)).nullable().catch(null),
  withdrawn_at: time.nullable().catch(0),
})

function read(raw: Record<string, unknown>): Consent {
  const { given_by, release_sha256, release_name, release_bytes, withdrawn_at, ...same } = row.parse(raw)
  const release = release_sha256 === null ? null : { sha256: release_sha256, name: release_name ?? '' }
  return {
    ...{ ...same, by: given_by, withdrawnAt: withdrawn_at },
    release: release && { ...release, sizeBytes: release_bytes ?? 0 },
  }
}

/** A swap with a face. */
export interface MadeSwap {
  id: string
  title: string
  /** Name of the result's file; null without one. */
  file: string | null
  addedAt: number
}

export class ConsentStore {
  constructor(private readonly db: DatabaseSync) {}

  /** The consent for a face, withdrawn or not; null: none was ever given. */
  of(face: string): Consent | null {
    const sql = 'SELECT * FROM consents WHERE face = ? ORDER BY withdrawn_at IS NOT NULL, number DESC LIMIT 1'
    return this.read(sql, face)[0] ?? null
  }

  /** All consents for a face, the first one first. */
  history(face: string): Consent[] {
    return this.read('SELECT * FROM consents WHERE face = ? ORDER BY number', face)
  }

  private read(sql: string, face: string): Consent[] {
    const statement = this.db.prepare(sql)
    // A number that is too large would throw.
    statement.setReadBigInts(true)
    return statement.all(face).map(read)
  }

  /** The faces that have a consent, that with the newest consent first. */
  faces(): string[] {
    const rows = this.db.prepare('SELECT face FROM consents GROUP BY face ORDER BY max(number) DESC').all()
    return rows.map(({ face }) => String(face))
  }

  /** Adds a consent, or changes what is given of it. A withdrawn one is left, and another one added. */
  give(
    { face, name }: Pick<Consent, 'face' | 'name'>,
    at: number,
    { release, ...details }: Partial<Pick<Consent, keyof ConsentDetails | 'release'>>,
  ): void {
    const columns = { by: 'given_by', purpose: 'purpose', note: 'note' } as const
    const set = (sql: string, ...values: (string | number | null)[]): void => {
      this.db.prepare(`UPDATE consents SET ${sql} WHERE face = ? AND withdrawn_at IS NULL`).run(...values, face)
    }
    this.transaction(() => {
      this.db
        .prepare('INSERT OR IGNORE INTO consents (id, face, name, at) VALUES (?, ?, ?, ?)')
        .run(randomUUID(), face, name, at)
      for (const key of ['by', 'purpose', 'note'] as const) {
        const value = details[key]
        if (value !== undefined) set(`${columns[key]} = ?`, value)
      }
      if (release === undefined) return
      const { sha256 = null, name: fileName = null, sizeBytes = null } = release ?? {}
      set('release_sha256 = ?, release_name = ?, release_bytes = ?', sha256, fileName, sizeBytes)
    })
  }

  /** Removes a consent that nothing depends on: without swaps and details. Any other one can only be withdrawn. */
  forget(face: string): void {
    const sql = `DELETE FROM consents WHERE face = ? AND withdrawn_at IS NULL
      AND purpose = '' AND note = '' AND release_sha256 IS NULL AND NOT EXISTS (${swapsOf})`
    this.db.prepare(sql).run(face, face, face)
  }

  withdraw(face: string, at: number): void {
    this.db.prepare('UPDATE consents SET withdrawn_at = ? WHERE face = ? AND withdrawn_at IS NULL').run(at, face)
  }

  /** Takes back the last withdrawal, unless there is another consent by now. */
  restore(face: string): void {
    const sql = `UPDATE OR IGNORE consents SET withdrawn_at = NULL
      WHERE number = (SELECT max(number) FROM consents WHERE face = ?)`
    this.db.prepare(sql).run(face)
  }

  /** Number of swaps in the library with a face. */
  swaps(face: string): number {
    const sql = `SELECT count(*) AS n FROM listed WHERE removed_at IS NULL AND number IN (${swapsOf})`
    return Number(this.db.prepare(sql).get(face, face)?.['n'])
  }

  /** The swaps that `swaps` counts, oldest first. */
  made(face: string): MadeSwap[] {
    const sql = `SELECT tasks.id, data ->> '$.title' AS title, data ->> '$.result.fileName' AS file, listed.created_at AS at
      FROM listed JOIN tasks ON tasks.id = task_id
      WHERE listed.removed_at IS NULL AND json_valid(data) AND number IN (${swapsOf}) ORDER BY at, number`
    const rows = this.db.prepare(sql).all(face, face)
    return rows.map(({ id, title, file, at }) => ({
      ...{ id: String(id), title: String(title), file: file === null ? null : String(file), addedAt: Number(at) },
    }))
  }

  /** Whether a consent, withdrawn or not, has this release. */
  hasRelease(sha256: string): boolean {
    return this.db.prepare('SELECT 1 FROM consents WHERE release_sha256 = ?').get(sha256) !== undefined
  }

  /** Runs `work` in one transaction. */
  transaction(work: () => void): void {
    inTransaction(this.db, work)
  }
}
