/** @file The tables that servers and workers share, and their versions. */
import { MienError } from '@shared/errors.ts'
import { placeColumns, serial, type Database, type Jobs, type Place, type Sql } from './database.ts'

interface Step {
  /**
   * False: older versions can't use the tables after this step and are refused. Avoid that, because old and new servers
   * run at the same time during an upgrade.
   */
  readonly keepsOlder: boolean
  readonly statements: readonly string[]
  /** Runs after the statements, in the same transaction. */
  readonly moveData?: (sql: Sql, db: Database) => Promise<void>
}

/** Step n migrates version n to n + 1. User ids are text: unsigned 64-bit integers. */
const steps: readonly Step[] = [
  {
    keepsOlder: false,
    statements: [
      // Creators take turns. The creator with the lowest turn is next.
      `CREATE TABLE creators (
        user_id TEXT PRIMARY KEY,
        turn BIGINT NOT NULL DEFAULT 0,
        limits TEXT
      )`,
      // data: the request, which never changes. Values that change have columns.
      `CREATE TABLE swaps (
        seq ${serial},
        object_id TEXT NOT NULL UNIQUE,
        user_id TEXT NOT NULL REFERENCES creators (user_id),
        idempotency_key TEXT,
        request_hash TEXT NOT NULL,
        status TEXT NOT NULL,
        paused INTEGER NOT NULL DEFAULT 0,
        position BIGINT,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        ended_at BIGINT,
        deleted_at BIGINT,
        footage TEXT,
        saved TEXT,
        live TEXT,
        result TEXT,
        error TEXT,
        checked INTEGER NOT NULL DEFAULT 0,
        attempt INTEGER NOT NULL DEFAULT 0,
        crashes INTEGER NOT NULL DEFAULT 0,
        bad_results INTEGER NOT NULL DEFAULT 0,
        not_before BIGINT NOT NULL DEFAULT 0,
        engine TEXT,
        worker TEXT,
        lease_until BIGINT,
        clips TEXT,
        data TEXT NOT NULL,
        UNIQUE (user_id, idempotency_key)
      )`,
      `CREATE INDEX swaps_waiting ON swaps (user_id, coalesce(position, seq), seq) WHERE status = 'queued' AND paused = 0`,
      `CREATE INDEX swaps_running ON swaps (lease_until) WHERE status = 'processing'`,
      `CREATE INDEX swaps_open ON swaps (status, paused, created_at) WHERE status IN ('queued', 'processing')`,
      `CREATE INDEX swaps_unchecked ON swaps (ended_at) WHERE status = 'completed' AND checked = 0 AND deleted_at IS NULL`,
      `CREATE INDEX swaps_ended ON swaps (status, ended_at) WHERE ended_at IS NOT NULL AND deleted_at IS NULL`,
      `CREATE INDEX swaps_by_time ON swaps (user_id, created_at)`,
      `CREATE TABLE swap_files (
        object_id TEXT NOT NULL REFERENCES swaps (object_id),
        name TEXT NOT NULL,
        blob TEXT NOT NULL,
        size BIGINT NOT NULL,
        PRIMARY KEY (object_id, name)
      )`,
      `CREATE INDEX swap_files_by_blob ON swap_files (blob)`,
      `CREATE TABLE assets (
        id TEXT PRIMARY KEY,
        user_id TEXT NOT NULL,
        name TEXT NOT NULL,
        blob TEXT NOT NULL,
        size BIGINT NOT NULL,
        created_at BIGINT NOT NULL
      )`,
      `CREATE INDEX assets_by_blob ON assets (blob)`,
      `CREATE INDEX assets_by_user ON assets (user_id)`,
      // Resumable uploads, in chunks.
      `CREATE TABLE uploads (
        id TEXT PRIMARY KEY,
        user_id TEXT NOT NULL,
        name TEXT NOT NULL,
        size BIGINT NOT NULL,
        received BIGINT NOT NULL DEFAULT 0,
        changed_at BIGINT NOT NULL
      )`,
      `CREATE INDEX uploads_by_user ON uploads (user_id)`,
      `CREATE TABLE upload_chunks (
        upload_id TEXT NOT NULL REFERENCES uploads (id),
        start BIGINT NOT NULL,
        blob TEXT NOT NULL,
        size BIGINT NOT NULL,
        PRIMARY KEY (upload_id, start)
      )`,
      `CREATE INDEX upload_chunks_by_blob ON upload_chunks (blob)`,
      // The foreign key prevents the deletion of an asset that a new swap is about to use.
      `CREATE TABLE asset_uses (
        asset_id TEXT NOT NULL REFERENCES assets (id),
        object_id TEXT NOT NULL REFERENCES swaps (object_id),
        PRIMARY KEY (asset_id, object_id)
      )`,
      `CREATE INDEX asset_uses_by_swap ON asset_uses (object_id)`,
      `CREATE TABLE dropped_blobs (blob TEXT PRIMARY KEY)`,
      `CREATE TABLE access_keys (
        id TEXT PRIMARY KEY,
        user_id TEXT NOT NULL,
        hash TEXT NOT NULL UNIQUE,
        mask TEXT NOT NULL,
        last_four TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        revoked_at BIGINT
      )`,
      `CREATE INDEX access_keys_by_user ON access_keys (user_id)`,
      `CREATE TABLE workers (
        id TEXT PRIMARY KEY,
        engine TEXT NOT NULL,
        host TEXT NOT NULL,
        seen_at BIGINT NOT NULL
      )`,
      `CREATE TABLE audit (
        seq ${serial},
        at BIGINT NOT NULL,
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        subject TEXT NOT NULL
      )`,
      // The hash of the administrator's key, and the secret for signed addresses.
      `CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,
    ],
  },
  {
    // For housekeeping.
    keepsOlder: true,
    statements: [
      `CREATE INDEX swaps_deleted ON swaps (deleted_at) WHERE deleted_at IS NOT NULL`,
      `CREATE INDEX audit_by_time ON audit (at)`,
    ],
  },
  {
    // Swaps wait in `Jobs`, by turn. Statements of older servers and workers fail, because they know nothing of it.
    keepsOlder: false,
    statements: [
      `DROP INDEX swaps_waiting`,
      `DROP INDEX swaps_running`,
      `ALTER TABLE swaps ADD COLUMN turn BIGINT NOT NULL DEFAULT 0`,
      `ALTER TABLE swaps ADD COLUMN queue TEXT NOT NULL DEFAULT 'swaps'`,
      `UPDATE swaps SET turn = t.turn FROM (
         SELECT seq, row_number() OVER (PARTITION BY user_id ORDER BY coalesce(position, seq), seq) AS turn
           FROM swaps WHERE status IN ('queued', 'processing')) t WHERE t.seq = swaps.seq`,
      `UPDATE creators SET turn = coalesce((SELECT max(turn) FROM swaps s WHERE s.user_id = creators.user_id), 0)`,
      `UPDATE swaps SET status = 'queued', live = NULL WHERE status = 'processing'`,
      `ALTER TABLE swaps DROP COLUMN position`,
      `ALTER TABLE swaps DROP COLUMN lease_until`,
      `ALTER TABLE swaps RENAME COLUMN crashes TO tries`,
      `CREATE INDEX swaps_waiting ON swaps (turn, seq) WHERE status = 'queued' AND paused = 0`,
    ],
    moveData: async (sql, { kind, jobs }) => {
      // Makes inserts without a turn fail. On SQLite, the only process is the one that migrates.
      if (kind === 'postgres') await sql.query('ALTER TABLE swaps ALTER COLUMN turn DROP DEFAULT')
      await sendAll(sql, jobs)
    },
  },
  {
    // Begun swaps are in a group of the one queue, and no longer in a queue of their engine version.
    keepsOlder: false,
    statements: [
      `ALTER TABLE swaps DROP COLUMN queue`,
      `UPDATE swaps SET status = 'queued', live = NULL WHERE status = 'processing'`,
    ],
    moveData: (sql, { jobs }) => sendAll(sql, jobs),
  },
]

/** Puts all swaps that wait into the queue. */
async function sendAll(sql: Sql, jobs: Jobs): Promise<void> {
  const places = await sql.query<Place>(
    `SELECT ${placeColumns} FROM swaps WHERE status = 'queued' AND paused = 0 ORDER BY turn, seq`,
  )
  for (const place of places) await jobs.send(sql, place)
}

/** Id of the lock that allows only one migration at a time. */
const migrationLock = 4_205_101

/** Creates the tables or migrates them. @throws MienError `data-newer` if a newer Mien made them */
export async function migrateTables(db: Database): Promise<void> {
  const migrate = async (sql: Sql): Promise<void> => {
    if (db.kind === 'postgres') await sql.query(`SELECT pg_advisory_xact_lock(${String(migrationLock)})`)
    // `oldest`: the oldest version whose code may use the tables.
    await sql.query('CREATE TABLE IF NOT EXISTS schema_versions (version BIGINT PRIMARY KEY, oldest BIGINT NOT NULL)')
    const [now] = await sql.query<{ version: number; oldest: number }>(
      'SELECT version, oldest FROM schema_versions ORDER BY version DESC LIMIT 1',
    )
    let { version, oldest } = now ?? { version: 0, oldest: 0 }
    if (oldest > steps.length) throw new MienError('data-newer', { data: 'service' })
    for (const step of steps.slice(version)) {
      for (const statement of step.statements) await sql.query(statement)
      await step.moveData?.(sql, db)
      version += 1
      if (!step.keepsOlder) oldest = version
      await sql.query('INSERT INTO schema_versions (version, oldest) VALUES ($1, $2)', [version, oldest])
    }
  }
  // SQLite has it before anything that is written later.
  await db.transaction(migrate, { isRecoverable: true })
  // Not before: tables of a newer Mien stay as they are.
  await db.jobs.start()
}
