/** @file Where servers and workers keep files: a folder that they share, or an S3 bucket. */

/**
 * Stores files under names that begin with the SHA-256 of their content (see `blobName`). A stored file never changes.
 */
export interface BlobStorage {
  /** Stores a file of this computer. */
  put(name: string, path: string, signal?: AbortSignal): Promise<void>
  has(name: string): Promise<boolean>
  /** Bytes from `start` to `end` (inclusive), or all; `size` is the whole file's. Null: not stored. */
  read(
    name: string,
    range?: { start: number; end: number },
  ): Promise<{ size: number; body: ReadableStream<Uint8Array> } | null>
  /** Copies to a file of this computer, and checks its content. False: not stored. @throws MienError for another content */
  fetch(name: string, path: string, signal?: AbortSignal): Promise<boolean>
  remove(name: string): Promise<void>
  /** All names, with the time they were stored (epoch ms). */
  list(): AsyncIterable<{ name: string; storedAt: number }>
  /** @throws MienError if the storage can't be used */
  check(): Promise<void>
}
