/** @file Uploads in chunks to services, by file, so that they continue after a restart and serve later swaps too. */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { withRelaxedSync } from '../../machine/disk/relaxed-sync.ts'
import type { UploadNote } from '../../remote/client/service-client.ts'

export const addBegunUploads = `
  CREATE TABLE begun_uploads (
    profile_id TEXT NOT NULL,
    media_id TEXT NOT NULL REFERENCES media (id) ON DELETE CASCADE,
    upload_id TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL,
    PRIMARY KEY (profile_id, media_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX begun_uploads_by_media ON begun_uploads (media_id);
`

const rowSchema = z.object({ upload_id: z.string(), size_bytes: z.number(), modified_ms: z.number() })

export class BegunUploads {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** The note of a file at a service. */
  note(profileId: string, mediaId: string): UploadNote {
    const db = this.#db
    return {
      get: () => {
        const row = db
          .prepare('SELECT * FROM begun_uploads WHERE profile_id = ? AND media_id = ?')
          .get(profileId, mediaId)
        if (!row) return null
        const { upload_id: id, size_bytes: sizeBytes, modified_ms: modifiedMs } = rowSchema.parse(row)
        return { id, sizeBytes, modifiedMs }
      },
      set: (begun) => {
        withRelaxedSync(db, () => {
          if (begun === null)
            db.prepare('DELETE FROM begun_uploads WHERE profile_id = ? AND media_id = ?').run(profileId, mediaId)
          else
            db.prepare('INSERT OR REPLACE INTO begun_uploads VALUES (?, ?, ?, ?, ?)').run(
              ...[profileId, mediaId, begun.id, begun.sizeBytes, begun.modifiedMs],
            )
        })
      },
    }
  }
}
