/**
 * @file Media that the studio may show, by opaque id: the only way from an id to a path. Originals
 * stay where the user has them; what Mien makes of them (crops, covers, results) is listed beside them.
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

  /** Lists a file for this run only, such as a still that a newer one will replace. Returns its media id. */
  addTemporary(path: string): string {
    const id = randomUUID()
    this.temporary.set(id, path)
    return id
  }

  dropTemporary(id: string): void {
    this.temporary.delete(id)
  }

  /** Lists a file that Mien made. Returns its media id. */
  addDerived(path: string): string {
    const id = randomUUID()
    this.insert(id, 'derived', path, null, null)
    return id
  }

  /** Lists a face picture; `sha256` of its content is what a confirmation is kept by. */
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

  /** Where a media id's file is; null for an id that is not listed. */
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

  /** Keeps, or takes back, that the user may use the face of this picture; by content, so once per face. */
  confirmFace(id: string, confirmed: boolean, at: number): FaceMedia {
    this.face(id)
    const sha256 = String(this.db.prepare('SELECT sha256 FROM media WHERE id = ?').get(id)?.['sha256'])
    if (confirmed) this.db.prepare('INSERT OR IGNORE INTO confirmed_faces (sha256, at) VALUES (?, ?)').run(sha256, at)
    else this.db.prepare('DELETE FROM confirmed_faces WHERE sha256 = ?').run(sha256)
    return this.face(id)
  }

  /** Whether a listed file lies in a folder. */
  uses(folder: string): boolean {
    const prefix = folder.replaceAll(/[\\%_]/g, (special) => `\\${special}`)
    return this.db.prepare("SELECT 1 FROM media WHERE path LIKE ? ESCAPE '\\' LIMIT 1").get(`${prefix}%`) !== undefined
  }

  has(id: string): boolean {
    return this.db.prepare('SELECT 1 FROM media WHERE id = ?').get(id) !== undefined
  }

  /** Some of the media that were taken in before and that no swap uses. A swap marks its own (tasks/store/listed.ts). */
  unusedBefore(at: number, count: number): string[] {
    const rows = this.db.prepare('SELECT id FROM media WHERE used = 0 AND created_at < ? LIMIT ?').all(at, count)
    return rows.map((row) => String(row['id']))
  }

  drop(ids: readonly string[]): void {
    this.db.prepare('DELETE FROM media WHERE id IN (SELECT value FROM json_each(?))').run(JSON.stringify(ids))
  }
}
