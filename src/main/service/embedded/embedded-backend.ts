/** @file The service in the app as a backend: its stores and its runner, behind the interface of the routes. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Asset, Backend, Files, Keys, ShownJob, StoredFile, Swaps } from '../backend.ts'
import { sameSecret } from '../http/same-secret.ts'
import { previewName, resultFiles, type Job } from '../jobs/job.ts'
import type { AssetStore } from './asset-store.ts'
import type { JobRunner } from './job-runner.ts'
import type { JobStore } from './job-store.ts'
import type { KeyStore } from './key-store.ts'

export interface EmbeddedStores {
  jobs: JobStore
  assets: AssetStore
  keys: KeyStore
  runner: JobRunner
  adminToken: string
}

export const embeddedBackend = (stores: EmbeddedStores): Backend => ({
  swaps: swapsOf(stores),
  files: filesOf(stores),
  keys: keysOf(stores),
})

const swapsOf = ({ jobs, runner }: EmbeddedStores): Swaps => ({
  find: async (userId, objectIds) =>
    objectIds
      .flatMap((id) => jobs.get(id) ?? [])
      .filter((job) => job.userId === userId)
      .map((job): ShownJob => ({ job, seq: jobs.seq(job.objectId), live: runner.live(job.objectId) })),
  made: async (userId, idempotencyKey) => jobs.made(userId, idempotencyKey),
  add: async (job, idempotencyKey, requestHash, clips) => {
    const earlier = idempotencyKey === null ? null : jobs.made(job.userId, idempotencyKey)
    if (earlier) return earlier
    jobs.add(job, idempotencyKey, requestHash, clips)
    runner.kick()
    return { objectId: job.objectId, requestHash }
  },
  cancel: async (job) => runner.cancel(job),
  pause: async (job) => runner.pause(job),
  resume: (job) => runner.resume(job),
  reorder: async (ordered) => {
    runner.reorder(ordered)
  },
  delete: (job) => runner.delete(job),
})

const filesOf = ({ assets, jobs, runner }: EmbeddedStores): Files => {
  const visible = (userId: string, objectId: string): Job | null => {
    const job = jobs.get(objectId)
    return job?.userId === userId && job.deletedAt === null ? job : null
  }
  return {
    put: (userId, name, chunks, expected): Promise<Asset> => assets.put(userId, name, chunks, expected),
    asset: async (userId, id) => assets.get(id, userId),
    openAsset: (id) => fileOnDisk(assets.path(id)),
    openResult: async (userId, objectId, name) => {
      const job = visible(userId, objectId)
      const inFolder = previewName.test(name) ? name : resultFiles.get(name)
      return job && inFolder !== undefined ? fileOnDisk(`${runner.folder(objectId)}/${inFolder}`) : null
    },
  }
}

const keysOf = ({ keys, adminToken }: EmbeddedStores): Keys => ({
  create: async (userId) => keys.create(userId),
  list: async (userId) => keys.list(userId),
  find: async (sk) => {
    const key = keys.find(sk)
    return key && { ...key, foundAt: Date.now() }
  },
  revoke: async (which) => keys.revoke(which),
  isAdmin: async (token) => sameSecret(token, adminToken),
})

/** Files of jobs and assets never change under the same name, so size and modification time make a valid ETag. */
async function fileOnDisk(path: string): Promise<StoredFile | null> {
  const facts = await stat(path).catch(() => null)
  if (!facts?.isFile()) return null
  const { size, mtimeMs } = facts
  return {
    size,
    etag: `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`,
    // A file stream isn't read before it is needed. Readable.toWeb returns node:stream/web's type of the same stream.
    open: async (start, end) => Readable.toWeb(createReadStream(path, { start, end })) as ReadableStream,
  }
}
