/**
 * @file The people in videos: scans a video when the studio asks, one video at a time, and keeps what was found and
 * what the user corrected by the video's content. An interrupted scan starts again.
 */
import { existsSync, statSync } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { MienError, toErrorBody, type ErrorBody } from '@shared/errors.ts'
import { scanVersion, type Clip, type PeopleScan, type Place, type VideoPeople } from '@shared/people/people.ts'
import { isUnseen } from '@shared/tasks/unseen.ts'
import { nameDiskFull, onFile } from '../../machine/disk/disk-errors.ts'
import { privateMode } from '../../machine/disk/data-folder.ts'
import type { MediaStore } from '../media-store.ts'
import type { Log } from '../../machine/log/log.ts'
import { atMostEvery } from '../../machine/transfer/throttle.ts'
import { fingerprintOf } from './fingerprint.ts'
import {
  checkCorrections,
  clipsOf,
  extended,
  momentsOf,
  peopleOf,
  withIds,
  type Corrections,
  type FoundPerson,
} from './found-people.ts'
import type { PeopleStore } from './people-store.ts'
import { placeAt, type Piece } from './split-clips.ts'

export interface PeopleScanner {
  /** Writes `clip-N.jpg` to `dir`. Rejects with a MienError; `cancelled` after an abort. */
  scanPeople: (
    path: string,
    dir: string,
    options: { signal: AbortSignal; onPeople: (scan: PeopleScan) => void },
  ) => Promise<PeopleScan>
  /** Writes a picture of a face that is at a place to `file` in `dir`. */
  pictureFace: (path: string, dir: string, picture: { place: Place; file: string }) => Promise<void>
}

/** A person of a video whom a swap replaces. */
export interface CastPerson {
  id: string
  name: string | null
  /** Media id of their face in the video. */
  faceId: string
  clips: Clip[]
}

/** What a new swap asks of the people of its video. */
export type People = Pick<PeopleService, 'cast'>

interface PeopleServiceDeps {
  store: PeopleStore
  media: MediaStore
  engine: PeopleScanner
  /** Parent of the folders with the faces of clips, named `<fingerprint>-<scan version>`. */
  dir: string
  log: Log
  /** Epoch ms. */
  now?: () => number
}

interface Video {
  fingerprint: string
  path: string
  name: string
  durationMs: number | null
  sizeBytes: number
  modifiedMs: number
}

/** A scan that waits or runs. */
interface Scan {
  /** Who asked for it: media ids of videos with the same content. */
  videoIds: Set<string>
  abort: AbortController
  found: FoundPerson[]
  /** Clips that listeners were told of. */
  told: ReadonlySet<number>
  /** What the user corrected meanwhile, and the clips that were known then. */
  corrections: { people: Corrections['people']; known: ReadonlySet<number> } | null
  scannedMs: number
  done: Promise<void>
}

/** Min time between two changes that listeners get of a scan. */
const changesMs = 300
/** How long people are kept after their video was last seen. */
const keepMs = 90 * 86_400_000

export class PeopleService {
  private readonly now: () => number
  private readonly videos = new Map<string, Video>()
  /** By fingerprint. */
  private readonly scans = new Map<string, Scan>()
  private readonly errors = new Map<string, ErrorBody>()
  /** Media ids of clips' faces, by path. */
  private readonly faceIds = new Map<string, string>()
  private readonly wanted = new Set<string>()
  private readonly listeners = new Set<(people: VideoPeople) => void>()
  private lastScan: Promise<void> = Promise.resolve()

  constructor(private readonly deps: PeopleServiceDeps) {
    this.now = deps.now ?? Date.now
  }

  /** Listeners get the people found so far while a scan runs. Returns its unsubscribe function. */
  onChanged(listener: (people: VideoPeople) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /**
   * What is known about the people in a video; starts or joins a scan if that isn't complete.
   * @throws MienError `not-found`, codes of `fingerprintOf`
   */
  async of(videoId: string): Promise<VideoPeople> {
    this.wanted.add(videoId)
    const video = await this.identify(videoId)
    if (video && this.wanted.has(videoId) && !this.known(video)) this.scan(videoId, video)
    return this.view(videoId, video)
  }

  /** As `of`, once the scan is complete. @throws MienError also the scan's */
  async complete(videoId: string): Promise<VideoPeople> {
    await this.of(videoId)
    const video = this.videos.get(videoId)
    await (video && this.scans.get(video.fingerprint)?.done)
    return this.view(videoId, video)
  }

  /** Ends the scan of a video, unless a video with the same content still needs it. */
  stop(videoId: string): void {
    this.wanted.delete(videoId)
    for (const [fingerprint, scan] of this.scans) {
      if (!scan.videoIds.delete(videoId) || scan.videoIds.size > 0) continue
      this.scans.delete(fingerprint)
      scan.abort.abort()
    }
  }

  /**
   * While a scan runs, corrections are kept in memory and extended by what it finds; clips can't be split then.
   * @throws MienError `people-unfinished`, `file-changed`, `bad-argument` (see `checkCorrections`)
   */
  async correct(videoId: string, corrections: Corrections): Promise<VideoPeople> {
    const before = this.videos.get(videoId)
    const video = await this.identify(videoId)
    const scan = video && this.scans.get(video.fingerprint)
    const found = scan?.found ?? (video && this.known(video)?.found)
    if (!video || !found) throw new MienError('people-unfinished')
    if (before && before.fingerprint !== video.fingerprint) throw new MienError('file-changed', { name: video.name })
    const { people, splits } = corrections
    if (scan && splits.length > 0) throw new MienError('people-unfinished')
    checkCorrections(corrections, found)
    if (scan) scan.corrections = { people, known: scan.told }
    else {
      const isAsFound = splits.length === 0 && JSON.stringify(people) === JSON.stringify(peopleOf(found))
      await this.pictureFaces(video, clipsOf(found, splits))
      this.deps.store.putCorrections(video.fingerprint, isAsFound ? null : corrections)
    }
    return this.view(videoId, video)
  }

  /** Where the faces of all clips are, once the scan is complete; call `of` first. */
  places(videoId: string): { clips: { id: number; places: Int32Array }[] } {
    const video = this.videos.get(videoId)
    const known = video && this.known(video)
    const clips = known ? clipsOf(known.found, known.corrections?.splits ?? []) : []
    return { clips: clips.map(({ id, places }) => ({ id, places: Int32Array.from(places.flat()) })) }
  }

  async reset(videoId: string): Promise<VideoPeople> {
    const video = await this.identify(videoId)
    const scan = video && this.scans.get(video.fingerprint)
    if (scan) scan.corrections = null
    if (video) this.deps.store.putCorrections(video.fingerprint, null)
    return this.view(videoId, video)
  }

  /**
   * The people whom a swap replaces, in the given order, and the clips of everybody else. Call `of` first.
   * @throws MienError `people-unfinished`, `person-unknown` (also a person without clips), `file-changed`
   */
  cast(videoId: string, personIds: readonly string[]): { people: CastPerson[]; stay: Clip[] } {
    const video = this.videos.get(videoId)
    const known = video && this.known(video)
    if (!known) throw new MienError('people-unfinished')
    const { size, mtimeMs } = statSync(video.path, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 }
    if (size !== video.sizeBytes || mtimeMs !== video.modifiedMs)
      throw new MienError('file-changed', { name: video.name })
    const { people, splits } = known.corrections ?? { people: peopleOf(known.found), splits: [] }
    const clips = clipsOf(known.found, splits)
    const cast = personIds.map((id) => {
      const person = people.find((each) => each.id === id)
      const clipIds = new Set(person?.clipIds)
      const theirs = clips.filter((clip) => clipIds.has(clip.id))
      const face = longest(theirs)
      if (!person || !face) throw new MienError('person-unknown', { person: person?.name ?? id })
      return { id, name: person.name, face, clips: theirs }
    })
    const bare = ({ id, fromMs, toMs, places }: Piece): Clip => ({ id, fromMs, toMs, places })
    // All are known, so nothing is registered in vain.
    const swapped = new Set(cast.flatMap((each) => each.clips.map(({ id }) => id)))
    return {
      people: cast.map(({ face, clips: own, ...person }) => ({
        ...person,
        clips: own.map(bare),
        faceId: this.deps.media.addDerived(this.facePath(video, face)),
      })),
      stay: clips.filter(({ id }) => !swapped.has(id)).map(bare),
    }
  }

  /** Removes people whose video wasn't seen for 90 days, and folders that nothing needs. */
  async tidy(): Promise<void> {
    const { store, media, dir } = this.deps
    const isUsed = (name: string): boolean => media.uses(join(dir, name) + sep)
    for (const fingerprint of store.notSeenSince(this.now() - keepMs))
      if (!isUsed(folderName(fingerprint))) store.delete(fingerprint)
    for (const name of await readdir(dir).catch(() => [])) {
      const [fingerprint = ''] = name.split('-')
      const isCurrent = name === folderName(fingerprint) && store.has(fingerprint)
      if (!isCurrent && !isUsed(name)) await rm(join(dir, name), { recursive: true, force: true })
    }
  }

  /** Aborts all scans, and waits until they have ended. */
  async dispose(): Promise<void> {
    this.listeners.clear()
    for (const { abort } of this.scans.values()) abort.abort()
    await this.lastScan
  }

  /** Null: a video that was never opened here. */
  private async identify(videoId: string): Promise<Video | null> {
    const { media, store } = this.deps
    const info = media.video(videoId)
    const path = media.path(videoId)
    if (path === null || isUnseen(info)) return null
    const { size, mtimeMs } = await onFile(stat(path))
    const fingerprint = await fingerprintOf(path)
    const { name, durationMs } = info
    const video = { fingerprint, path, name, durationMs, sizeBytes: size, modifiedMs: mtimeMs }
    store.seen(fingerprint, path, this.now())
    this.videos.set(videoId, video)
    return video
  }

  /** Null: no scan of this content is complete, or its faces are gone. */
  private known({ fingerprint }: Video) {
    return existsSync(join(this.deps.dir, folderName(fingerprint))) && !this.scans.has(fingerprint)
      ? this.deps.store.get(fingerprint)
      : null
  }

  private scan(videoId: string, video: Video): void {
    const { fingerprint } = video
    this.errors.delete(fingerprint)
    const running = this.scans.get(fingerprint)
    if (running) {
      running.videoIds.add(videoId)
      return
    }
    const scan: Scan = {
      ...{ videoIds: new Set([videoId]), abort: new AbortController(), found: [], scannedMs: 0 },
      ...{ told: new Set<number>(), corrections: null },
      done: Promise.resolve(),
    }
    this.scans.set(fingerprint, scan)
    scan.done = this.lastScan.then(() => this.run(video, scan))
    this.lastScan = scan.done.catch((error: unknown) => {
      if (!scan.abort.signal.aborted) this.deps.log('Looking for people in a video failed', error)
    })
  }

  private async run(video: Video, scan: Scan): Promise<void> {
    const { engine, store, dir } = this.deps
    const { fingerprint, path } = video
    const { signal } = scan.abort
    const tell = atMostEvery(
      changesMs,
      () => performance.now(),
      () => {
        this.tell(scan)
      },
    )
    const onPeople = ({ people, scannedMs }: PeopleScan): void => {
      // Without a listener nobody has seen ids yet, so those of the complete scan are in order of prominence.
      if (this.listeners.size === 0 || signal.aborted) return
      scan.found = withIds(people, scan.found)
      scan.scannedMs = scannedMs
      tell()
    }
    try {
      const folder = join(dir, folderName(fingerprint))
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder, { recursive: true, mode: privateMode })
      signal.throwIfAborted()
      const ask = (): Promise<PeopleScan> => engine.scanPeople(path, folder, { signal, onPeople })
      const { people } = await ask().catch((error: unknown) => {
        // Another request may have crashed the engine.
        if (error instanceof MienError && error.code === 'engine-crashed') return ask()
        throw error
      })
      if ((await fingerprintOf(path)) !== fingerprint) throw new MienError('file-changed', { name: video.name })
      signal.throwIfAborted()
      scan.found = withIds(people, scan.found)
      store.putScan(fingerprint, scan.found)
      const corrections = correctionsOf(scan)
      if (corrections) store.putCorrections(fingerprint, { people: corrections, splits: [] })
    } catch (error) {
      if (!signal.aborted) this.errors.set(fingerprint, toErrorBody(nameDiskFull(error)))
      throw error
    } finally {
      if (this.scans.get(fingerprint) === scan) this.scans.delete(fingerprint)
      if (!signal.aborted) this.tell(scan)
    }
  }

  private tell(scan: Scan): void {
    scan.told = new Set(clipsOf(scan.found, []).map(({ id }) => id))
    for (const videoId of scan.videoIds) {
      const video = this.videos.get(videoId)
      if (video) for (const listener of this.listeners) listener(this.view(videoId, video))
    }
  }

  private view(videoId: string, video: Video | null | undefined): VideoPeople {
    const nobody = { people: [], clips: [], splits: [], moments: [], scanned: 1, isCorrected: false, wasChanged: false }
    if (!video) return { videoId, ...nobody }
    const { fingerprint, path, durationMs } = video
    const known = this.known(video)
    const scan = this.scans.get(fingerprint)
    const found = known?.found ?? scan?.found ?? []
    const people = known?.corrections?.people ?? (scan ? correctionsOf(scan) : null)
    const splits = known?.corrections?.splits ?? []
    const error = this.errors.get(fingerprint)
    return {
      videoId,
      people: people ?? peopleOf(found),
      clips: clipsOf(found, splits).map((clip) => {
        const { id, fromMs, toMs } = clip
        return { id, fromMs, toMs, faceId: this.faceId(video, clip) }
      }),
      splits,
      moments: momentsOf(found, splits),
      scanned: known ? 1 : Math.min(0.99, (scan?.scannedMs ?? 0) / (durationMs ?? Infinity)),
      isCorrected: people !== null,
      wasChanged: people === null && this.deps.store.wasOther(fingerprint, path),
      ...(error ? { error } : {}),
    }
  }

  /** Pictures of faces in pieces of split clips: those of the whole clips may show somebody else. */
  private async pictureFaces(video: Video, clips: readonly Piece[]): Promise<void> {
    const dir = join(this.deps.dir, folderName(video.fingerprint))
    for (const clip of clips) {
      const file = pictureOf(clip)
      if (clip.isWhole || existsSync(join(dir, file))) continue
      const place = placeAt(clip.places, Math.floor((clip.fromMs + clip.toMs) / 2))
      await this.deps.engine.pictureFace(video.path, dir, { place, file }).catch((error: unknown) => {
        this.deps.log('Taking a picture of a person failed', error)
      })
    }
  }

  /** The picture of a clip; if that of a piece couldn't be taken, of its whole clip. */
  private facePath({ fingerprint }: Video, clip: Piece): string {
    const dir = join(this.deps.dir, folderName(fingerprint))
    const own = join(dir, pictureOf(clip))
    return existsSync(own) ? own : join(dir, `clip-${String(clip.scanned)}.jpg`)
  }

  private faceId(video: Video, clip: Piece): string {
    const path = this.facePath(video, clip)
    const id = this.faceIds.get(path) ?? this.deps.media.addTemporary(path)
    this.faceIds.set(path, id)
    return id
  }
}

const correctionsOf = ({ corrections, found }: Scan): Corrections['people'] | null =>
  corrections && extended(corrections.people, corrections.known, found)

const pictureOf = ({ scanned, isWhole, fromMs, toMs }: Piece): string =>
  `clip-${[scanned, ...(isWhole ? [] : [fromMs, toMs])].join('-')}.jpg`

const folderName = (fingerprint: string): string => `${fingerprint}-${String(scanVersion)}`

/** The longest clip, whose face stands for the person; undefined without clips. */
export const longest = <C extends Pick<Clip, 'fromMs' | 'toMs'>>(clips: readonly C[]): C | undefined =>
  clips.toSorted((one, other) => other.toMs - other.fromMs - (one.toMs - one.fromMs))[0]
