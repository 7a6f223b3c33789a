/** @file Where the files of a cluster are: what all kinds of storages can do. */

/**
 * After this time, what an interrupted put has left is removed. Far longer than a put takes, and than clocks of machines
 * differ.
 */
export const leftoverMs = 24 * 3_600_000

/** What names of files look like. They begin with the SHA-256 of the content. */
export const isBlobName = (name: string): boolean => /^[0-9a-f]{64}[0-9a-z-]{0,40}$/.test(name)

/** The SHA-256 in a file's name. */
export const hashOf = (name: string): string => name.slice(0, 64)

/**
 * Stores files under names that begin with the SHA-256 of their content (see `blobName`). A stored file never changes.
 * For several processes and machines at once.
 *
 * All methods reject with a MienError: `storage-unreachable` (trying again may help), `storage-refused` (`reason`),
 * `disk-full`, `folder-missing`, `folder-read-only`, `save-failed`, `cancelled`.
 */
export interface BlobStorage {
  /**
   * Stores a file of this computer. It may be stored already.
   * @throws MienError `file-changed` if its content has another hash; as `fileFailure`
   */
  put(name: string, path: string, signal?: AbortSignal): Promise<void>
  has(name: string): Promise<boolean>
  /**
   * Bytes from `start` (inside the file) to `end` (inclusive; may lie past the end), or all. `size` is the size of the
   * whole file. Null: not stored. Doesn't check the content.
   */
  read(
    name: string,
    range?: { start: number; end: number },
  ): Promise<{ size: number; body: ReadableStream<Uint8Array> } | null>
  /**
   * Copies to a file of this computer, which exists only once it is complete. Resolves with false if the file isn't
   * stored.
   * @throws MienError `storage-damaged` if the content has another hash
   */
  fetch(name: string, path: string, signal?: AbortSignal): Promise<boolean>
  /** Ignores a file that isn't stored. */
  remove(name: string): Promise<void>
  /** All names, with the time they were stored (epoch ms). */
  list(): AsyncIterable<{ name: string; storedAt: number }>
  /** At start, before anything else: fails if the storage can't be used. Also removes what interrupted puts left. */
  check(): Promise<void>
}
