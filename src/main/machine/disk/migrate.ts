/**
 * @file Database migrations: steps, a backup before the first one, and refusal of newer versions. Used for the library
 * and for the embedded service's data.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { MienError } from '@shared/errors.ts'

export type Migration = string | ((db: DatabaseSync) => void)

export interface Versions {
  /** For the error message of a newer version: `library`, `service`. */
  data: 'library' | 'service'
  /** Entry n migrates version n to n + 1: SQL, or a function where SQL is not enough. */
  migrations: readonly Migration[]
}

export const versionOf = (db: DatabaseSync): number =>
  Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)

/** Call before any write. @throws MienError `data-newer` */
export function refuseNewer(db: DatabaseSync, { data, migrations }: Versions): void {
  if (versionOf(db) > migrations.length) throw new MienError('data-newer', { data })
}

/** Path of the backup before a migration. */
export const backupPath = (path: string, version: number): string => `${path}.v${String(version)}-backup`

/**
 * Migrates the database at `path` to the newest version, each step in a transaction. Keeps a backup of the old version
 * at `<path>.v<version>-backup`.
 * @throws MienError `data-newer`; SQLite's error when a step fails, with that step rolled back
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

/** Writes an atomic backup: renamed when complete. */
function keepCopy(db: DatabaseSync, target: string): void {
  const half = `${target}.half`
  rmSync(half, { force: true })
  db.prepare('VACUUM INTO ?').run(half)
  if (existsSync(target)) rmSync(target)
  renameSync(half, target)
}
