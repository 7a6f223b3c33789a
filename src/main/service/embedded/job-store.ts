/** @file Persistence of jobs. The JSON is authoritative; the other columns are for lookups. */
import type { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../data/in-transaction.ts'
import { withRelaxedSync } from '../../data/relaxed-sync.ts'
import type { JobClips, Made } from '../backend.ts'
import { jobClips, jobSchema, sourcesOf, type Job } from '../jobs/job.ts'

const parse = (row: Record<string, unknown> | undefined): Job | null =>
  row === undefined ? null : jobSchema.parse(JSON.parse(String(row['data'])))

export class JobStore {
  constructor(
    private readonly db: DatabaseSync,
    private readonly now: () => number,
  ) {}

  /** `clips`: only of a job with a cast. */
  add(job: Job, idempotencyKey: string | null, requestHash: string, clips: JobClips | null = null): void {
    const { objectId, userId, status } = job
    inTransaction(this.db, () => {
      if (clips)
        this.db.prepare('INSERT INTO job_clips (object_id, clips) VALUES (?, ?)').run(objectId, JSON.stringify(clips))
      this.db
        .prepare(
          'INSERT INTO jobs (object_id, user_id, status, idempotency_key, request_hash, data) VALUES (?, ?, ?, ?, ?, ?)',
        )
        .run(objectId, userId, status, idempotencyKey, requestHash, JSON.stringify(job))
    })
  }

  /** The job that this user's idempotency key created; null when there is none. */
  made(userId: string, idempotencyKey: string): Made | null {
    const row = this.db
      .prepare('SELECT object_id, request_hash FROM jobs WHERE user_id = ? AND idempotency_key = ?')
      .get(userId, idempotencyKey)
    return row === undefined ? null : { objectId: String(row['object_id']), requestHash: String(row['request_hash']) }
  }

  /** Empty for a job without a cast. */
  clips(objectId: string): JobClips {
    const clips = this.db.prepare('SELECT clips FROM job_clips WHERE object_id = ?').get(objectId)?.['clips']
    return typeof clips === 'string' ? jobClips.parse(JSON.parse(clips)) : { cast: [], stay: [] }
  }

  dropClips(objectId: string): void {
    this.db.prepare('DELETE FROM job_clips WHERE object_id = ?').run(objectId)
  }

  get(objectId: string): Job | null {
    return parse(this.db.prepare('SELECT data FROM jobs WHERE object_id = ?').get(objectId))
  }

  /** Sequence number of the job on this computer, from 1. */
  seq(objectId: string): number {
    return Number(this.db.prepare('SELECT seq FROM jobs WHERE object_id = ?').get(objectId)?.['seq'] ?? 0)
  }

  /** Stores a change and its time; null when the job is gone. */
  update(objectId: string, change: Partial<Job>): Job | null {
    const job = this.get(objectId)
    if (!job) return null
    const next = { ...job, ...change, updatedAt: this.now() }
    this.db
      .prepare('UPDATE jobs SET status = ?, deleted_at = ?, data = ? WHERE object_id = ?')
      .run(next.status, next.deletedAt, JSON.stringify(next), objectId)
    return next
  }

  /** Like `update`, for data that can be recovered, see `withRelaxedSync`. */
  note(objectId: string, change: Partial<Job>): Job | null {
    return withRelaxedSync(this.db, () => this.update(objectId, change))
  }

  nextQueued(): Job | null {
    return parse(
      this.db
        .prepare(
          `SELECT data FROM jobs WHERE status = 'queued' AND coalesce(data ->> 'paused', 0) = 0
             ORDER BY coalesce(data ->> 'position', seq), seq LIMIT 1`,
        )
        .get(),
    )
  }

  /** Puts jobs in this order: among them, they get the positions that they had. */
  reorder(jobs: readonly Job[]): void {
    const positions = jobs.map((job) => job.position ?? this.seq(job.objectId)).toSorted((a, b) => a - b)
    inTransaction(this.db, () => {
      for (const [at, { objectId }] of jobs.entries()) this.update(objectId, { position: positions[at] ?? null })
    })
  }

  withStatus(status: Job['status']): Job[] {
    return this.db
      .prepare('SELECT data FROM jobs WHERE status = ? ORDER BY seq')
      .all(status)
      .map(parse)
      .filter((job) => job !== null)
  }

  /** Cancelled jobs whose files still exist. */
  cancelled(): Job[] {
    return this.db
      .prepare("SELECT data FROM jobs WHERE status = 'cancelled' AND deleted_at IS NULL")
      .all()
      .map(parse)
      .filter((job) => job !== null)
  }

  /** Assets used by jobs that are not deleted. */
  assetsInUse(): Set<string> {
    const ids = new Set<string>()
    for (const row of this.db.prepare('SELECT data FROM jobs WHERE deleted_at IS NULL').all()) {
      const job = parse(row)
      for (const source of job ? sourcesOf(job) : []) if (source.kind === 'asset') ids.add(source.id)
    }
    return ids
  }
}
