/**
 * @file Media by opaque id; the only mapping from ids to paths. Originals stay where they are; derived files (crops,
 * covers, results) have their own entries.
 */
import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { MienError } from '@shared/errors.ts'
import { faceMediaSchema, videoMediaSchema, type FaceMedia, type VideoMedia } from '@shared/task.ts'

type MediaKind = 'face' | 'video' | 'derived'

export class MediaStore {
  private readonly db: DatabaseSync
  private readonly temporary = new Map<string, string>()

  constructor(db: DatabaseSync) {
    this.db = db
  }

  /** Registers a file for this run only, such as a still that will be replaced. Returns its media id. */
  addTemporary(path: string): string {
    const id = randomUUID()
    this.temporary.set(id, path)
    return id
  }

  dropTemporary(id: string): void {
    this.temporary.delete(id)
  }

  /** Registers a file that Mien made. Returns its media id. */
  addDerived(path: string): string {
    const id = randomUUID()
    this.insert(id, 'derived', path, null, null)
    return id
  }

  /** Registers a face picture; confirmations are stored by the `sha256` of its content. */
  addFace(path: string, sha256: string, face: Omit<FaceMedia, 'confirmedAt'>): FaceMedia {
    this.insert(face.id, 'face', path, sha256, JSON.stringify({ ...face, confirmedAt: null }))
    return this.face(face.id)
  }

  addVideo(path: string, video: VideoMedia): VideoMedia {
    this.insert(video.id, 'video', path, null, JSON.stringify(video))
    return video
  }

  private insert(id: string, kind: MediaKind, path: string, sha256: string | null, info: string | null): void {
    this.db
      .prepare('INSERT INTO media (id, kind, path, sha256, info, created_at, used) VALUES (?, ?, ?, ?, ?, ?, 0)')
      .run(id, kind, path, sha256, info, Date.now())
  }

  /** A file has another path now. */
  moved(id: string, path: string): void {
    this.db.prepare('UPDATE media SET path = ? WHERE id = ?').run(path, id)
  }

  /** Path of a media id's file; null when unknown. */
  path(id: string): string | null {
    const temporary = this.temporary.get(id)
    if (temporary !== undefined) return temporary
    const path = this.db.prepare('SELECT path FROM media WHERE id = ?').get(id)?.['path']
    return typeof path === 'string' ? path : null
  }

  /** @throws MienError `not-found` */
  face(id: string): FaceMedia {
    const row = this.db
      .prepare(
        `SELECT info, at FROM media LEFT JOIN confirmed_faces ON media.sha256 = confirmed_faces.sha256
         WHERE id = ? AND kind = 'face'`,
      )
      .get(id)
    if (!row) throw new MienError('not-found', { id })
    const face = faceMediaSchema.parse(JSON.parse(String(row['info'])))
    return { ...face, confirmedAt: typeof row['at'] === 'number' ? row['at'] : null }
  }

  /** @throws MienError `not-found` */
  video(id: string): VideoMedia {
    const row = this.db.prepare("SELECT info FROM media WHERE id = ? AND kind = 'video'").get(id)
    if (!row) throw new MienError('not-found', { id })
    return videoMediaSchema.parse(JSON.parse(String(row['info'])))
  }

  /** Stores or removes the user's confirmation that they may use this face. Stored by content, so once per picture. */
  confirmFace(id: string, confirmed: boolean, at: number): FaceMedia {
    this.face(id)
    const sha256 = String(this.db.prepare('SELECT sha256 FROM media WHERE id = ?').get(id)?.['sha256'])
    if (confirmed) this.db.prepare('INSERT OR IGNORE INTO confirmed_faces (sha256, at) VALUES (?, ?)').run(sha256, at)
    else this.db.prepare('DELETE FROM confirmed_faces WHERE sha256 = ?').run(sha256)
    return this.face(id)
  }

  /** Whether a registered file is in the folder. */
  uses(folder: string): boolean {
    const prefix = folder.replaceAll(/[\\%_]/g, (special) => `\\${special}`)
    return this.db.prepare("SELECT 1 FROM media WHERE path LIKE ? ESCAPE '\\' LIMIT 1").get(`${prefix}%`) !== undefined
  }

  has(id: string): boolean {
    return this.db.prepare('SELECT 1 FROM media WHERE id = ?').get(id) !== undefined
  }

  /** Up to `count` media added before `at` (epoch ms) that no swap uses. Swaps mark theirs (tasks/store/listed.ts). */
  unusedBefore(at: number, count: number): string[] {
    const rows = this.db.prepare('SELECT id FROM media WHERE used = 0 AND created_at < ? LIMIT ?').all(at, count)
    return rows.map((row) => String(row['id']))
  }

  drop(ids: readonly string[]): void {
    this.db.prepare('DELETE FROM media WHERE id IN (SELECT value FROM json_each(?))').run(JSON.stringify(ids))
  }
}
