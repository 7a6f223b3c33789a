/**
 * @file Media by opaque id; the only mapping from ids to paths. Originals stay where they are; derived files (crops,
 * covers, results) have their own entries.
 */
import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { MienError, type ErrorBody } from '@shared/errors.ts'
import {
  faceMediaSchema,
  videoMediaSchema,
  type FaceMedia,
  type UsedConsent,
  type VideoMedia,
} from '@shared/tasks/task.ts'
import { ConsentStore } from './consent-store.ts'

type MediaKind = 'face' | 'video' | 'derived'

export class MediaStore {
  readonly consents: ConsentStore
  private readonly temporary = new Map<string, string>()

  constructor(private readonly db: DatabaseSync) {
    this.consents = new ConsentStore(db)
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
    const stored = { ...face, confirmedAt: null }
    this.insert(face.id, 'face', path, sha256, JSON.stringify(stored))
    return this.withConsent(stored, sha256)
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

  /** SHA-256 of a face picture's content, in hex; null when unknown. */
  sha256(id: string): string | null {
    const sha256 = this.db.prepare('SELECT sha256 FROM media WHERE id = ?').get(id)?.['sha256']
    return typeof sha256 === 'string' ? sha256 : null
  }

  /** @throws MienError `not-found` */
  face(id: string): FaceMedia {
    const { info, sha256 } = this.row(id, 'face')
    return this.withConsent(faceMediaSchema.parse(JSON.parse(String(info))), String(sha256))
  }

  private withConsent(face: FaceMedia, sha256: string): FaceMedia {
    const consent = this.consents.of(sha256)
    const withdrawnAt = consent?.withdrawnAt ?? null
    return { ...face, sha256, confirmedAt: consent && withdrawnAt === null ? consent.at : null, withdrawnAt }
  }

  /** What consents are kept by: the hash of a face's content. @throws MienError `not-found` */
  faceKey(id: string): string {
    return String(this.row(id, 'face').sha256)
  }

  /** A picture with this content; null: there is none any more. */
  faceOf(key: string): FaceMedia | null {
    const row = this.db.prepare("SELECT id FROM media WHERE sha256 = ? AND kind = 'face' LIMIT 1").get(key)
    return row ? this.face(String(row['id'])) : null
  }

  /** Pictures that come with Mien and are in swaps, each once. */
  usedSamples(): { key: string; face: FaceMedia }[] {
    const sql = `SELECT sha256, min(id) AS id FROM media WHERE kind = 'face' AND used = 1
      AND json_valid(info) AND info ->> '$.origin' = 'sample' GROUP BY sha256`
    const rows = this.db.prepare(sql).all()
    return rows.map((row) => ({ key: String(row['sha256']), face: this.face(String(row['id'])) }))
  }

  /** The consents for pictures, each once; a picture that comes with Mien has none. */
  consentsOf(pictures: readonly Pick<FaceMedia, 'id' | 'origin'>[]): UsedConsent[] {
    const found = this.needing(pictures).flatMap((key) => this.consents.of(key) ?? [])
    return found.map(({ id, face, at, release }) => ({ id, face, at, release: release?.sha256 ?? null }))
  }

  /** `consent-withdrawn` if the consent for one of the pictures was withdrawn; else null. */
  withdrawn(pictures: readonly Pick<FaceMedia, 'id' | 'origin' | 'name'>[]): ErrorBody | null {
    for (const picture of pictures) {
      const [key] = this.needing([picture])
      const consent = key === undefined ? null : this.consents.of(key)
      if (consent && consent.withdrawnAt !== null) return { code: 'consent-withdrawn', details: { name: picture.name } }
    }
    return null
  }

  /** Keys of the pictures that need a consent. Those that are unknown by now are left out. */
  private needing(pictures: readonly Pick<FaceMedia, 'id' | 'origin'>[]): string[] {
    const ids = pictures.filter(({ origin }) => origin !== 'sample').map(({ id }) => id)
    const sql = 'SELECT DISTINCT sha256 FROM media WHERE sha256 IS NOT NULL AND id IN (SELECT value FROM json_each(?))'
    return this.db
      .prepare(sql)
      .all(JSON.stringify(ids))
      .map(({ sha256 }) => String(sha256))
  }

  /** @throws MienError `not-found` */
  video(id: string): VideoMedia {
    return videoMediaSchema.parse(JSON.parse(String(this.row(id, 'video').info)))
  }

  private row(id: string, kind: MediaKind): Record<'info' | 'sha256', unknown> {
    const row = this.db.prepare('SELECT info, sha256 FROM media WHERE id = ? AND kind = ?').get(id, kind)
    if (!row) throw new MienError('not-found', { id })
    return { info: row['info'], sha256: row['sha256'] }
  }

  /**
   * Stores the user's confirmation that they may use this face, or removes one that nothing depends on (see
   * `ConsentStore.forget`). Stored by content, so once per picture.
   * @throws MienError `consent-withdrawn`: it has to be given again explicitly
   */
  confirmFace(id: string, confirmed: boolean, at: number, by = ''): FaceMedia {
    const { name, withdrawnAt, confirmedAt } = this.face(id)
    const face = this.faceKey(id)
    if (!confirmed) this.consents.forget(face)
    else if (withdrawnAt != null) throw new MienError('consent-withdrawn', { name })
    else if (confirmedAt === null) this.consents.give({ face, name }, at, { by })
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

  /** Up to `count` media added before `at` (epoch ms) that no swap uses. Swaps mark theirs (swaps/store/listed.ts). */
  unusedBefore(at: number, count: number): string[] {
    const rows = this.db.prepare('SELECT id FROM media WHERE used = 0 AND created_at < ? LIMIT ?').all(at, count)
    return rows.map((row) => String(row['id']))
  }

  drop(ids: readonly string[]): void {
    this.db.prepare('DELETE FROM media WHERE id IN (SELECT value FROM json_each(?))').run(JSON.stringify(ids))
  }
}
