/**
 * @file Versions of a database: what each change does, a copy before the first one, and a refusal of what a newer
 * Mien made. Used for the library and for the embedded service's own data.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { MienError } from '@shared/errors.ts'

export type Migration = string | ((db: DatabaseSync) => void)

export interface Versions {
  /** For the sentence when it is newer: `library`, `service`. */
  data: 'library' | 'service'
  /** Entry n brings a database of version n to n + 1: SQL, or what SQL alone cannot do. */
  migrations: readonly Migration[]
}

const versionOf = (db: DatabaseSync): number => Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)

/** To be asked before anything is written. @throws MienError `data-newer` */
export function refuseNewer(db: DatabaseSync, { data, migrations }: Versions): void {
  if (versionOf(db) > migrations.length) throw new MienError('data-newer', { data })
}

/** Where the copy from before a migration lies. */
export const backupPath = (path: string, version: number): string => `${path}.v${String(version)}-backup`

/**
 * Brings the database at `path` to the newest version, each step whole or not at all. What was in it before stays
 * beside it as `<path>.v<version>-backup`.
 * @throws MienError `data-newer`; SQLite's error when a step fails: the database is as it was before that step
 */
export function migrate(db: DatabaseSync, path: string, versions: Versions): void {
  refuseNewer(db, versions)
  const version = versionOf(db)
  const { migrations } = versions
  if (version > 0 && version < migrations.length) keepCopy(db, backupPath(path, version))
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue
    db.exec('BEGIN IMMEDIATE')
    try {
      if (typeof migration === 'string') db.exec(migration)
      else migration(db)
      db.exec(`PRAGMA user_version = ${String(index + 1)}; COMMIT`)
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
}

/** A whole copy or none: it gets its name when it is written. */
function keepCopy(db: DatabaseSync, target: string): void {
  const half = `${target}.half`
  rmSync(half, { force: true })
  db.prepare('VACUUM INTO ?').run(half)
  if (existsSync(target)) rmSync(target)
  renameSync(half, target)
}
