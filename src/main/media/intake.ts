/**
 * @file Imports faces and videos from files and URLs. The sandboxed engine parses them, so that a hostile file has no
 * access to Node. Each gets an opaque id.
 */
import { hash, randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FaceInspection, FaceViews, VideoInspection } from '@shared/engine/engine.ts'
import { MienError, withDetails } from '@shared/errors.ts'
import { mediaKindOf, type SlotName } from '@shared/files/media-names.ts'
import type { FaceMedia, VideoMedia } from '@shared/tasks/task.ts'
import { fetchFile } from '../machine/transfer/fetch-file.ts'
import { checkReadable, onFile } from '../machine/disk/disk-errors.ts'
import { sha256Of } from '../machine/disk/files.ts'
import type { MediaStore } from './media-store.ts'
import { nameFromAddress, parseVideoAddress } from './video-address.ts'

/** Placeholder for media that were never opened here: a grey PNG of one pixel, Base64. */
const grey = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGPw8goCAAHIAOdaSTRLAAAAAElFTkSuQmCC'

const writePlaceholder = (path: string): Promise<void> => writeFile(path, Buffer.from(grey, 'base64'))

/** Max time until a link answers. */
const answerMs = 10_000

export interface Inspector {
  inspectFace: (path: string, dir: string, signal?: AbortSignal, like?: string) => Promise<FaceInspection>
  inspectVideo: (path: string, dir: string, signal?: AbortSignal) => Promise<VideoInspection>
  faceViews: (path: string, dir: string, signal?: AbortSignal, like?: string) => Promise<FaceViews>
}

interface IntakeDeps {
  engine: Inspector
  media: MediaStore
  /** Parent of the media folders, which are named by media id. */
  dir: string
  fetch: typeof globalThis.fetch
  /** How much of a linked video is downloaded, 0–1; null if its length is unknown. */
  onDownload: (share: number | null) => void
}

interface FaceImport {
  name?: string
  origin?: FaceMedia['origin']
  like?: string
}

export class Intake {
  private readonly readings = new Map<SlotName, AbortController>()

  constructor(private readonly deps: IntakeDeps) {}

  /**
   * Reads a face picture.
   * @param like path of a picture of the person that it has to show
   * @throws MienError as `EngineHost.inspectFace`, `file-missing`, `file-empty`; with the file's name
   */
  face(path: string, { name = basename(path), origin = null, like }: FaceImport = {}): Promise<FaceMedia> {
    return this.reading('face', name, (id, dir, signal) =>
      this.readFace({ id, dir, path, name, origin, address: null }, signal, like),
    )
  }

  /**
   * The faces in a video: of each person the pictures that show them best, as paths (see `FaceViews`).
   * @throws MienError as `EngineHost.faceViews`, `file-missing`, `file-empty`; with the file's name
   */
  videoFaces(path: string, { name = basename(path), like }: FaceImport = {}): Promise<string[][]> {
    return this.reading('face', name, async (_id, dir, signal) => {
      await checkReadable(path)
      const { people } = await this.deps.engine.faceViews(path, dir, signal, like)
      return people.map((files) => files.map((file) => join(dir, file)))
    })
  }

  /**
   * Reads the pictures of one person that `videoFaces` took. Those that can't be used are left out.
   * @param name of the video
   * @throws MienError as `face`, if none can be used
   */
  async views(paths: readonly string[], name: string): Promise<FaceMedia[]> {
    const faces: FaceMedia[] = []
    let problem: unknown = new MienError('no-face-in-video', { name })
    for (const path of paths) {
      const own = faces.length === 0 ? name : `${name} (${String(faces.length + 1)})`
      try {
        faces.push(await this.face(path, { name: own }))
      } catch (error) {
        if (!(error instanceof MienError) || error.code === 'cancelled') throw error
        problem = error
      }
    }
    if (faces.length === 0) throw problem
    // A part of the face is hidden in some views.
    const whole = faces.filter(({ flaws }) => !flaws.includes('covered'))
    return whole.length > 0 ? whole : faces
  }

  /**
   * The pictures of a face in a file: a picture, or a video of one person.
   * @throws MienError as `face` and `videoFaces`, `several-people`
   */
  async faceFile(path: string, { like }: Pick<FaceImport, 'like'> = {}): Promise<[FaceMedia, ...FaceMedia[]]> {
    const options = like === undefined ? {} : { like }
    if (mediaKindOf(path) !== 'video') return [await this.face(path, options)]
    const [views = [], ...others] = await this.videoFaces(path, options)
    if (others.length > 0) throw new MienError('several-people', { name: basename(path), count: others.length + 1 })
    return (await this.views(views, basename(path))) as [FaceMedia, ...FaceMedia[]]
  }

  /** Writes a picture from the clipboard to the data folder. @returns its path */
  async writePasted(png: Uint8Array): Promise<string> {
    const dir = join(this.deps.dir, `pasted-${randomUUID()}`)
    await mkdir(dir, { recursive: true })
    const path = join(dir, 'pasted.png')
    await writeFile(path, png, { flag: 'wx' })
    return path
  }

  /** Downloads a face picture, then reads it. @throws MienError as `face`, `address-silent`, `address-refused` */
  faceAddress(text: string): Promise<FaceMedia> {
    const url = parseVideoAddress(text)
    const name = pictureName(url)
    return this.reading('face', name, async (id, dir, signal) => {
      const path = join(dir, `fetched-${name}`)
      await fetchFile(url, path, 'image', { fetch: this.deps.fetch, signal, answerMs, sync: false })
      return this.readFace({ id, dir, path, name, origin: null, address: url.href }, signal)
    })
  }

  private async readFace(
    { dir, path, ...face }: { dir: string; path: string } & Pick<FaceMedia, 'id' | 'name' | 'origin' | 'address'>,
    signal: AbortSignal,
    like?: string,
  ): Promise<FaceMedia> {
    const { engine, media } = this.deps
    const sizeBytes = await checkReadable(path)
    const found = await engine.inspectFace(path, dir, signal, like)
    const sha256 = await onFile(sha256Of(path))
    const thumbnailId = media.addDerived(join(dir, 'face.jpg'))
    return media.addFace(path, sha256, { ...face, sizeBytes, thumbnailId, ...found })
  }

  /** Reads a video, or a picture whose faces are swapped. */
  video(path: string, name = basename(path)): Promise<VideoMedia> {
    return this.reading('video', name, (id, dir, signal) =>
      this.readVideo({ id, dir, path, name, address: null }, signal),
    )
  }

  /** Downloads a video, then reads it. */
  address(text: string): Promise<VideoMedia> {
    const url = parseVideoAddress(text)
    const name = nameFromAddress(url)
    return this.reading('video', name, async (id, dir, signal) => {
      const path = join(dir, name)
      await fetchFile(url, path, 'video', {
        ...{ fetch: this.deps.fetch, signal, answerMs, sync: false },
        onProgress: ({ bytesDone, bytesTotal }) => {
          this.deps.onDownload(bytesTotal === null ? null : bytesDone / bytesTotal)
        },
      })
      return this.readVideo({ id, dir, path, name, address: url.href }, signal)
    })
  }

  /**
   * Registers a URL as a face without opening it, for services that fetch it themselves. The content is unknown, so the
   * user's confirmation is stored by URL. @throws MienError `address-invalid`
   */
  async unseenFace(text: string): Promise<FaceMedia> {
    const url = parseVideoAddress(text)
    const { id, name, still } = await this.unseen(pictureName(url))
    const facts = { width: null, height: null, sizeBytes: null, faces: [], flaws: [], origin: null }
    const sha256 = hash('sha256', url.href)
    return this.deps.media.addFace(join(this.deps.dir, id, name), sha256, {
      ...{ id, name, address: url.href, thumbnailId: still },
      ...facts,
    })
  }

  /** Like `unseenFace`, for a video. @throws MienError `address-invalid` */
  async unseenVideo(text: string): Promise<VideoMedia> {
    const url = parseVideoAddress(text)
    const { id, name, still } = await this.unseen(nameFromAddress(url))
    return this.deps.media.addVideo(join(this.deps.dir, id, name), {
      ...{ id, kind: 'video', name, address: url.href, coverId: still, coverMs: 0 },
      ...{ faces: [], lostSound: [], missing: [] },
      ...{ width: null, height: null, durationMs: null, fps: null, sizeBytes: null, bitrate: null },
      ...{ codec: null, audioCodec: null },
    })
  }

  private async unseen(name: string): Promise<{ id: string; name: string; still: string }> {
    const id = randomUUID()
    const dir = join(this.deps.dir, id)
    await mkdir(dir, { recursive: true })
    await writePlaceholder(join(dir, 'unseen.png'))
    return { id, name, still: this.deps.media.addDerived(join(dir, 'unseen.png')) }
  }

  /** Aborts reading for a slot. */
  stop(mediaSlot: SlotName): void {
    this.readings.get(mediaSlot)?.abort()
  }

  private async readVideo(
    { dir, path, id, name, address }: { dir: string; path: string } & Pick<VideoMedia, 'id' | 'name' | 'address'>,
    signal: AbortSignal,
  ): Promise<VideoMedia> {
    const sizeBytes = await checkReadable(path)
    const facts = await this.deps.engine.inspectVideo(path, dir, signal).catch((error: unknown) => {
      const isPage = address !== null && error instanceof MienError && error.code === 'not-a-video'
      throw isPage ? new MienError('address-not-video', { host: new URL(address).host }, { cause: error }) : error
    })
    const { kind, width, height, bitrate, codec, audioCodec, lostSound, missing, coverMs, faces } = facts
    const { durationMs, fps } = kind === 'picture' ? { durationMs: null, fps: null } : facts
    const coverId = this.deps.media.addDerived(join(dir, 'cover.jpg'))
    return this.deps.media.addVideo(path, {
      id,
      name,
      address,
      sizeBytes,
      coverId,
      ...{ kind, width, height, durationMs, fps, bitrate, codec, audioCodec, lostSound, missing, coverMs, faces },
    })
  }

  /** Reads one medium per slot; a new one aborts the previous one. Adds the file's name to errors. */
  private async reading<T>(
    mediaSlot: SlotName,
    name: string,
    work: (id: string, dir: string, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.stop(mediaSlot)
    const abort = new AbortController()
    this.readings.set(mediaSlot, abort)
    const id = randomUUID()
    const dir = join(this.deps.dir, id)
    try {
      await mkdir(dir, { recursive: true })
      return await work(id, dir, abort.signal)
    } catch (error) {
      await rm(dir, { recursive: true, force: true })
      if (abort.signal.aborted) throw new MienError('cancelled')
      throw withDetails(error, { name })
    } finally {
      if (this.readings.get(mediaSlot) === abort) this.readings.delete(mediaSlot)
    }
  }
}

/** A picture's name gets no default extension. */
const pictureName = (url: URL): string => nameFromAddress(url).replace(/\.mp4$/, '')
