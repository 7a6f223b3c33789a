/**
 * @file What the user does with consents: giving, changing, withdrawing. Keeps a small picture of each face, and copies
 * of releases named by their hash, in the folder `consents`.
 */
import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { basename, extname, join } from 'node:path'
import {
  maxConsentText,
  maxReleaseBytes,
  plainText,
  readDetails,
  type ConsentDetails,
  type ConsentView,
  type Release,
} from '@shared/tasks/consent.ts'
import { MienError, withDetails } from '@shared/errors.ts'
import { Turns } from '@shared/turns.ts'
import type { FaceMedia } from '@shared/tasks/task.ts'
import { isUnseen } from '@shared/tasks/unseen.ts'
import { removeFile, replaceFile, type FreeBytes, syncNames } from '../../machine/disk/files.ts'
import { privateMode } from '../../machine/disk/data-folder.ts'
import { onDisk, checkReadable } from '../../machine/disk/disk-errors.ts'
import { isHash, type Consent } from '../consent-store.ts'
import { copyHashed } from '../../machine/transfer/copy-hashed.ts'
import type { MediaStore } from '../media-store.ts'

interface ConsentsDeps {
  media: MediaStore
  dir: string
  /** The name that was entered last; '': none. */
  name: { get: () => string; set: (name: string) => void }
  /** Ends the swaps that must not start any more. Returns their ids. */
  stopSwaps: () => string[]
  onChanged: () => void
  now: () => number
  log: (message: string, error?: unknown) => void
  freeBytes?: FreeBytes
}

/** Name of a release's copy. Its ending stays, so that the system finds a program for it. */
const copyName = ({ sha256, name }: Pick<Release, 'sha256' | 'name'>): string => {
  const end = extname(name).toLowerCase()
  return `${sha256}${/^\.[a-z0-9]{1,10}$/.test(end) ? end : ''}`
}

export class Consents {
  private readonly abort = new AbortController()
  /** One copy at a time. */
  private readonly copies = new Turns()
  /** Media ids of the small pictures in this run, by face. */
  private readonly pictureIds = new Map<string, string>()

  constructor(private readonly deps: ConsentsDeps) {}

  /** Who gives consents unless another name is entered: the last name, or the system's name of the user. */
  get defaultName(): string {
    return this.deps.name.get() || systemName()
  }

  /** Consents and the pictures of swaps that need none, by time, the newest first. */
  async list(): Promise<ConsentView[]> {
    const { media } = this.deps
    const views: ConsentView[] = []
    for (const face of media.consents.faces()) {
      const consent = media.consents.of(face)
      if (consent) views.push(await this.view(consent))
    }
    for (const { key, face } of media.usedSamples()) {
      if (views.some((view) => view.face === key)) continue
      const texts = { by: '', purpose: '', note: '' }
      views.push({
        ...{ face: key, name: face.name, origin: 'sample', at: 0, withdrawnAt: null, ...texts, release: null },
        ...{ pictureId: face.thumbnailId, swaps: media.consents.swaps(key) },
      })
    }
    return views
  }

  /** Null: no consent was ever given for the face. */
  async find(face: string): Promise<ConsentView | null> {
    const consent = this.deps.media.consents.of(face)
    return consent && this.view(consent)
  }

  /** @throws MienError `not-found` */
  get(face: string): Consent {
    const consent = this.deps.media.consents.of(face)
    if (!consent) throw new MienError('not-found', { id: face.slice(0, 64) })
    return consent
  }

  private async view({ id: _, ...consent }: Consent): Promise<ConsentView> {
    const release = consent.release && { ...consent.release, state: await this.stateOf(consent.release) }
    const { consents } = this.deps.media
    const { face } = consent
    return { ...consent, origin: null, release, pictureId: this.pictureId(face), swaps: consents.swaps(face) }
  }

  /** The answer to "I may use this face". @throws MienError codes of `MediaStore.confirmFace` */
  confirm(faceId: string, confirmed: boolean): FaceMedia {
    const { media, now } = this.deps
    const face = media.confirmFace(faceId, confirmed, now(), this.defaultName)
    if (confirmed) this.keepPicture(media.faceKey(faceId))
    this.deps.onChanged()
    return face
  }

  /**
   * Gives the consents for faces, or changes what is given of them, all or none.
   * @param faces media ids of pictures, or hashes of faces that have a consent
   * @param release path of a file; null: none; undefined: as before
   * @throws MienError `consent-invalid`, `consent-withdrawn`, `release-refused`, `not-found`, codes of `checkReadable`,
   * of `copyHashed`; with the file's name
   */
  async save(faces: readonly string[], given: Partial<ConsentDetails>, release?: string | null): Promise<void> {
    const { media, now, name, onChanged } = this.deps
    const details = readDetails(given)
    const all = faces.map((each) => this.identify(each))
    const withdrawn = all.find(({ face }) => (media.consents.of(face)?.withdrawnAt ?? null) !== null)
    if (withdrawn) throw new MienError('consent-withdrawn', { name: withdrawn.name })
    const copy = typeof release === 'string' ? await this.keepRelease(release) : release
    const before = all.flatMap(({ face }) => media.consents.of(face)?.release ?? [])
    media.consents.transaction(() => {
      for (const each of all) {
        const isNew = media.consents.of(each.face) === null
        const texts = isNew && details.by === undefined ? { ...details, by: this.defaultName } : details
        media.consents.give(each, now(), { ...texts, ...(copy === undefined ? {} : { release: copy }) })
      }
    })
    for (const { face } of all) this.keepPicture(face)
    if (details.by !== undefined && details.by !== '') name.set(details.by)
    await this.removeUnused(before)
    onChanged()
  }

  private identify(each: string): Pick<Consent, 'face' | 'name'> {
    if (isHash(each)) return this.get(each)
    const { media } = this.deps
    return { face: media.faceKey(each), name: media.face(each).name }
  }

  /** Gives the consent for a face again after it was withdrawn. */
  giveAgain(face: string): void {
    const { name } = this.get(face)
    this.deps.media.consents.give({ face, name }, this.deps.now(), { by: this.defaultName })
    this.deps.onChanged()
  }

  /** Returns the ids of the swaps that it ended, because they had not started. */
  withdraw(face: string): string[] {
    this.get(face)
    this.deps.media.consents.withdraw(face, this.deps.now())
    const ended = this.deps.stopSwaps()
    this.deps.onChanged()
    return ended
  }

  /** Takes a withdrawal back. */
  restore(face: string): void {
    this.deps.media.consents.restore(face)
    this.deps.onChanged()
  }

  /** Path of the copy of a face's release. @throws MienError `not-found`, `file-missing` */
  releasePath(face: string): string {
    const { release } = this.get(face)
    if (!release) throw new MienError('not-found')
    const path = this.pathOf(release)
    if (!existsSync(path)) throw new MienError('file-missing', { name: release.name })
    return path
  }

  pathOf(release: Pick<Release, 'sha256' | 'name'>): string {
    return join(this.deps.dir, 'releases', copyName(release))
  }

  /** Path of the small picture of a face; null: there is none. */
  picturePath(face: string): string | null {
    const id = this.pictureId(face)
    return id === null ? null : this.deps.media.path(id)
  }

  /** Stops a copy and waits for it. */
  async dispose(): Promise<void> {
    this.abort.abort()
    await this.copies.run('', () => undefined)
  }

  private async stateOf(release: Release): Promise<'ready' | 'changed' | 'missing'> {
    const file = await stat(this.pathOf(release)).catch(() => null)
    if (!file?.isFile()) return 'missing'
    return file.size === release.sizeBytes ? 'ready' : 'changed'
  }

  private async keepRelease(path: string): Promise<Release> {
    const name = plainText(basename(path)).slice(0, 255)
    return this.copies
      .run('', () => this.copyRelease(path, name))
      .catch((error: unknown) => {
        throw withDetails(error, { name })
      })
  }

  private async copyRelease(path: string, name: string): Promise<Release> {
    await checkRelease(path)
    const dir = join(this.deps.dir, 'releases')
    await onDisk(mkdir(dir, { recursive: true, mode: privateMode }), dir)
    for (const left of await readdir(dir)) if (left.endsWith('.part')) await removeFile(join(dir, left))
    const part = join(dir, `${randomUUID()}.part`)
    try {
      const copied = await copyHashed(path, part, { signal: this.abort.signal, freeBytes: this.deps.freeBytes })
      const release = { ...copied, name }
      await onDisk(replaceFile(part, this.pathOf(release)), part)
      await syncNames(dir)
      return release
    } catch (error) {
      await removeFile(part)
      throw error
    }
  }

  /** Removes the copies of releases that no consent names any more. */
  private async removeUnused(releases: readonly Release[]): Promise<void> {
    for (const release of releases)
      if (!this.deps.media.consents.hasRelease(release.sha256))
        await removeFile(this.pathOf(release)).catch((error: unknown) => {
          this.deps.log('A release could not be removed', error)
        })
  }

  private pictureId(face: string): string | null {
    const known = this.pictureIds.get(face)
    if (known !== undefined) return known
    const path = this.keepPicture(face)
    if (path === null) return this.deps.media.faceOf(face)?.thumbnailId ?? null
    const id = this.deps.media.addTemporary(path)
    this.pictureIds.set(face, id)
    return id
  }

  /** Copies the small picture of a face, which is removed with the last swap of the face. Returns its path. */
  private keepPicture(face: string): string | null {
    if (!isHash(face)) return null
    const path = join(this.deps.dir, `${face}.jpg`)
    if (existsSync(path)) return path
    const { media } = this.deps
    try {
      const picture = media.faceOf(face)
      const from = picture && !isUnseen(picture) ? media.path(picture.thumbnailId) : null
      if (from === null) return null
      mkdirSync(this.deps.dir, { recursive: true, mode: privateMode })
      copyFileSync(from, path)
      return path
    } catch (error) {
      this.deps.log('The picture of a consent could not be kept', error)
      return null
    }
  }
}

/** @throws MienError `release-refused` (a folder, or too large), codes of `checkReadable` */
export async function checkRelease(path: string): Promise<number> {
  const info = await stat(path).catch(() => null)
  if (info?.isDirectory()) throw new MienError('release-refused', { reason: 'folder' })
  const bytes = await checkReadable(path)
  if (bytes > maxReleaseBytes) throw new MienError('release-refused', { reason: 'large', maxBytes: maxReleaseBytes })
  return bytes
}

/** The system's name of the user; '' if it has none. */
function systemName(): string {
  try {
    return plainText(userInfo().username).slice(0, maxConsentText.by)
  } catch {
    return ''
  }
}
