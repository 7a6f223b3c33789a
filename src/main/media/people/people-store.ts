/** @file People of videos on disk, by the fingerprint of a video's content: what a scan found, and the corrections. */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { personSchema, scanVersion, splitSchema } from '@shared/people/people.ts'
import { withRelaxedSync } from '../../machine/disk/sqlite.ts'
import { correctionsFit, foundSchema, type Corrections, type FoundPerson } from './found-people.ts'

const people = z.array(personSchema)
/** Without splits, the people alone. */
const corrected = z.union([
  people.transform((list): Corrections => ({ people: list, splits: [] })),
  z.object({ people, splits: z.array(splitSchema) }),
])
const rowSchema = z.object({
  scan: z.string().nullable(),
  scan_version: z.number(),
  corrections: z.string().nullable(),
})

export interface KnownPeople {
  found: FoundPerson[]
  /** Null: none. */
  corrections: Corrections | null
}

export class PeopleStore {
  constructor(private readonly db: DatabaseSync) {}

  /** Notes where a video was seen, and when (epoch ms). */
  seen(fingerprint: string, path: string, at: number): void {
    withRelaxedSync(this.db, () =>
      this.db
        .prepare(
          `INSERT INTO people (fingerprint, path, used_at) VALUES (?, ?, ?)
           ON CONFLICT (fingerprint) DO UPDATE SET path = excluded.path, used_at = excluded.used_at`,
        )
        .run(fingerprint, path, at),
    )
  }

  /** Null: there is no scan of the current version. */
  get(fingerprint: string): KnownPeople | null {
    const row = this.row(fingerprint)
    if (!row || row.scan === null || row.scan_version !== scanVersion) return null
    return {
      found: foundSchema.parse(JSON.parse(row.scan)),
      corrections: row.corrections === null ? null : corrected.parse(JSON.parse(row.corrections)),
    }
  }

  /** Stores a complete scan. Corrections of an older scan that don't fit it are put aside, in the column `aside`. */
  putScan(fingerprint: string, found: readonly FoundPerson[]): void {
    const row = this.row(fingerprint)
    const before = row?.scan == null ? null : foundSchema.safeParse(JSON.parse(row.scan))
    const corrections = row?.corrections == null ? null : corrected.safeParse(JSON.parse(row.corrections))
    const fits =
      corrections === null ||
      (before?.success === true && corrections.success && correctionsFit(corrections.data, before.data, found))
    this.db
      .prepare(
        `UPDATE people SET scan = ?, scan_version = ?,
           aside = CASE WHEN ? THEN aside ELSE json_insert(aside, '$[#]',
             json_object('version', scan_version, 'people', json(corrections), 'scan', json(scan))) END,
           corrections = CASE WHEN ? THEN corrections END
         WHERE fingerprint = ?`,
      )
      .run(JSON.stringify(found), scanVersion, Number(fits), Number(fits), fingerprint)
  }

  /** Null drops the corrections. */
  putCorrections(fingerprint: string, corrections: Corrections | null): void {
    const stored = corrections?.splits.length === 0 ? corrections.people : corrections
    this.db
      .prepare('UPDATE people SET corrections = ? WHERE fingerprint = ?')
      .run(stored && JSON.stringify(stored), fingerprint)
  }

  /** Whether this path had another video before, whose people were corrected. */
  wasOther(fingerprint: string, path: string): boolean {
    const sql = 'SELECT 1 FROM people WHERE path = ? AND fingerprint <> ? AND corrections IS NOT NULL'
    return this.db.prepare(sql).get(path, fingerprint) !== undefined
  }

  has(fingerprint: string): boolean {
    return this.row(fingerprint) !== null
  }

  /** Fingerprints of videos that weren't seen since `at` (epoch ms). */
  notSeenSince(at: number): string[] {
    const rows = this.db.prepare('SELECT fingerprint FROM people WHERE used_at < ?').all(at)
    return rows.map((row) => String(row['fingerprint']))
  }

  delete(fingerprint: string): void {
    this.db.prepare('DELETE FROM people WHERE fingerprint = ?').run(fingerprint)
  }

  private row(fingerprint: string): z.infer<typeof rowSchema> | null {
    const sql = 'SELECT scan, scan_version, corrections FROM people WHERE fingerprint = ?'
    const row = this.db.prepare(sql).get(fingerprint)
    return row === undefined ? null : rowSchema.parse(row)
  }
}
