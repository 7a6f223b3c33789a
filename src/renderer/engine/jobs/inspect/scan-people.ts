/**
 * @file Finds the people in a video: samples frames, joins their faces into tracklets, and groups those by person.
 * Every frame is decoded, because cuts are found by comparing neighbours.
 */
import type { Clip, PeopleScan } from '@shared/people/people.ts'
import { codedPoints, regionOfPoints, yawOf, type Points } from '../../face/landmarks.ts'
import { regionOfDetection, turnOfDetection } from '../../face/detection.ts'
import { regionBounds, type Region } from '../../face/region.ts'
import { searchInput } from '../../face/analysis-input.ts'
import { clustersOf } from '../../people/clusters.ts'
import { openEmbedder } from '../../people/face-embedder.ts'
import { faceLight } from '../../people/face-light.ts'
import { facePicture } from '../../people/face-picture.ts'
import { Jumps } from '../../people/jumps.ts'
import { Looks, type FaceLook } from '../../people/looks.ts'
import { Moments, type SeenFace } from '../../people/moments.ts'
import { peopleOf } from '../../people/people-of.ts'
import { addEmbedding, Tracklets, type Tracklet } from '../../people/tracklets.ts'
import { decodeFrames } from '../../media/demux/decode-frames.ts'
import { mediaError, openMedia, type MediaInput } from '../../media/demux/media-input.ts'
import { readFrame } from '../../media/pixels/frame-planes.ts'
import { writeFile } from '../../media/job-files.ts'
import { buffersOf, cutPatch, planesByteLength, type Planes } from '../../media/pixels/planes.ts'
import { differenceOf, isCut, thumbnailOf } from '../../track/frame-window.ts'
import type { JobContext, RequestOf } from '../job-context.ts'

/** Time between two samples of a shot. */
const everyMs = 400
/** Each so many samples of a shot, from its first on, are searched for small faces, too. */
const fineEvery = 8
/** Distance of the squares to search, as a share of their side. A face between two of them is found in a larger one. */
const squareStep = 0.8
/** Faces per frame. Two are one if they are nearer than this share of their size. */
const maxFaces = 12
const oneFace = 0.25
/** Samples analysed at the same time. */
const atOnce = 4
/** Time between two reports of what was found so far. */
const reportMs = 1500
/** Least confidence of the landmark model that it is a face, 0…1. */
const minPresence = 0.8
/** Face width, in pixels, and yaw, in degrees, of a good and of a useless picture. */
const good = { width: 100, yaw: 60 }

interface Sample {
  ms: number
  planes: Planes
  isFine: boolean
  /** The picture jumped: there may be others at the same places. */
  isJump: boolean
}

interface Look extends FaceLook {
  points: Points
}

/** @throws MienError the errors of `openMedia` and `mediaError` */
export async function scanPeople(request: RequestOf<'scan-people'>, context: JobContext): Promise<PeopleScan> {
  const { signal, emit } = context
  const media = await openMedia(request.source, signal)
  const scan = new Scan(request.folder, media, context)
  try {
    await scan.run((people) => {
      emit({ type: 'people', id: request.id, scan: people })
    })
    await media.unchanged()
    return await scan.result()
  } catch (error) {
    throw mediaError(error, signal)
  } finally {
    scan.close()
    media.close()
  }
}

class Scan {
  readonly #embedder = openEmbedder()
  readonly #tracklets = new Tracklets()
  /** Times of cuts, in ms. */
  readonly #cuts: number[] = []
  readonly #moments = new Moments()
  readonly #looks = new Looks()
  readonly #written = new Map<number, Promise<Blob>>()
  #scannedMs = 0

  constructor(
    private readonly folder: string,
    private readonly media: MediaInput,
    private readonly context: JobContext,
  ) {}

  async run(report: (scan: PeopleScan) => void): Promise<void> {
    const { signal } = this.context
    const underWay: Promise<void>[] = []
    let last: Promise<void> = Promise.resolve()
    let reportedAt = performance.now()
    for await (const sample of this.#samples()) {
      signal.throwIfAborted()
      if (sample === 'cut') {
        last = last.then(() => {
          this.#tracklets.cut()
        })
        continue
      }
      const found = this.#faces(sample)
      // Faces are joined in order, whatever is analysed first.
      last = last.then(async () => {
        await this.#add(sample, await found)
      })
      last.catch(() => undefined)
      underWay.push(last)
      if (underWay.length >= atOnce) await underWay.shift()
      if (performance.now() - reportedAt < reportMs) continue
      reportedAt = performance.now()
      report(await this.result())
    }
    await last
    this.#scannedMs = this.media.facts.durationMs
  }

  /** What was found so far. Writes the pictures of its clips. */
  async result(): Promise<PeopleScan> {
    const clusters = clustersOf(this.#tracklets.all)
    const { durationMs } = this.media.facts
    const people = peopleOf(clusters, { cuts: this.#cuts, durationMs }, everyMs).map(({ clips }) => ({
      clips,
      moments: this.#moments.of(clips),
    }))
    for (const { clips } of people) {
      const ids = clips.map(({ id }) => id)
      const cluster = clusters.find((tracklets) => tracklets.some(({ id }) => ids.includes(id)))
      for (const clip of clips) await this.#writePicture(clip, cluster)
    }
    return { people, scannedMs: this.#scannedMs }
  }

  close(): void {
    this.#embedder.close()
  }

  /** Frames to analyse, and cuts between them. */
  async *#samples(): AsyncGenerator<Sample | 'cut'> {
    const { video, facts } = this.media
    const { codedWidth, codedHeight, color } = facts
    /** The frame before, unless it was a sample. */
    let skipped: Pick<Sample, 'ms' | 'planes'> | null = null
    let spare: ArrayBuffer | null = null
    let before: Uint8Array | null = null
    let dueMs = -Infinity
    let number = 0
    const jumps = new Jumps()
    for await (const { sample, timestamp } of decodeFrames(video, null)) {
      const ms = Math.max(0, Math.round((timestamp - facts.firstTimestamp) * 1000))
      const buffer: ArrayBuffer = spare ?? new ArrayBuffer(planesByteLength(codedWidth, codedHeight))
      spare = null
      const planes = await readFrame(sample, codedWidth, codedHeight, color, buffer)
      const thumbnail = thumbnailOf(planes)
      if (before && isCut(before, thumbnail)) {
        // The last frame of a shot tells who is there until its end.
        if (skipped) yield { ...skipped, isFine: false, isJump: false }
        skipped = null
        this.#cuts.push(ms)
        dueMs = ms
        number = 0
        yield 'cut'
      }
      const isJump = before !== null && jumps.isJump(differenceOf(before, thumbnail))
      if (isJump && skipped) {
        yield { ...skipped, isFine: false, isJump: false }
        skipped = null
      }
      before = thumbnail
      this.#scannedMs = ms
      // A sample's buffer is still in use.
      spare = (skipped?.planes.y.buffer as ArrayBuffer | undefined) ?? null
      skipped = ms < dueMs && !isJump ? { ms, planes } : null
      if (skipped) continue
      dueMs = ms + everyMs
      yield { ms, planes, isFine: number % fineEvery === 0, isJump }
      number += 1
    }
    if (skipped) yield { ...skipped, isFine: false, isJump: false }
  }

  /** Few of the detector's faces are none; landmarks will tell. */
  async #faces({ planes, isFine }: Sample): Promise<SeenFace[]> {
    const { facts } = this.media
    const input = searchInput(planes, this.media.facts.color, facts.view)
    if (!input) return []
    const size = { width: facts.width, height: facts.height }
    const { analyst } = this.context
    const found = await analyst.call('detect', [input, size, isFine ? 3 : 2, false, squareStep], buffersOf(input.patch))
    const faces: SeenFace[] = []
    for (const detection of found) {
      const region = regionOfDetection(detection)
      const isKnown = faces.some(
        ({ region: { x, y, size: side } }) => Math.hypot(x - region.x, y - region.y) < side * oneFace,
      )
      if (!isKnown && faces.length < maxFaces) faces.push({ region, turn: turnOfDetection(detection) })
    }
    return faces
  }

  async #add({ ms, planes, isJump }: Sample, faces: readonly SeenFace[]): Promise<void> {
    const { view } = this.media.facts
    const seen = faces.map(({ region }) => ({ region, light: faceLight(planes, view, region) }))
    const due = this.#tracklets.add(ms, seen).flatMap((joined, at) => {
      const face = faces[at]
      if (!face) return []
      this.#moments.see(joined, face)
      const { region } = face
      return this.#looks.isDue(joined, ms, region.size, isJump) ? [{ tracklet: joined.tracklet, region }] : []
    })
    const looks = await Promise.all(due.map(({ region }) => this.#look(planes, region)))
    for (const [at, { tracklet, region }] of due.entries()) this.#learn(tracklet, ms, planes, region, looks[at] ?? null)
  }

  /** Takes landmarks and an embedding of a face; null if it is none. */
  async #look(planes: Planes, region: Region): Promise<Look | null> {
    const { view } = this.media.facts
    const patch = cutPatch(planes, this.media.facts.color, regionBounds(region, view, 1.2))
    const { analyst } = this.context
    const face = patch && (await analyst.call('landmarks', [{ patch, view }, region, true], buffersOf(patch)))
    if (!face || face.presence < minPresence) return null
    const { points } = face
    const turned = Math.max(0.02, 1 - Math.abs(yawOf(points)) / good.yaw)
    const quality = Math.min(1, region.size / 1.5 / good.width) * turned * face.presence
    const vector = await this.#embedder.embed(planes, this.media.facts.color, codedPoints(points, view))
    return { points, quality, vector }
  }

  /**
   * Adds a look at the last face of a tracklet. It may turn out to be another one. A known person's face without landmarks
   * stays in its tracklet, because it may be turned away.
   */
  #learn(tracklet: Tracklet, ms: number, planes: Planes, { size }: Region, look: Look | null): void {
    if (!look) {
      this.#looks.miss(tracklet, ms, size)
      return
    }
    const { points, quality, vector } = look
    const own = this.#looks.isOther(tracklet, look) ? this.#tracklets.partLast(tracklet) : tracklet
    addEmbedding(own, vector, quality)
    this.#moments.look(own, points)
    this.#looks.note(own, ms, size, quality, () => {
      const picture = facePicture(planes, this.media.facts.color, this.media.facts.view, regionOfPoints(points))
      // Awaited when it is written.
      picture.catch(() => undefined)
      return picture
    })
  }

  /** Writes the best picture of a clip's face. */
  async #writePicture(clip: Clip, cluster: readonly Tracklet[] = []): Promise<void> {
    const shot = cluster.find(({ id }) => id === clip.id)?.shot
    const picture = this.#looks.pictureOf(cluster.filter((tracklet) => tracklet.shot === shot))
    if (!picture || this.#written.get(clip.id) === picture) return
    this.#written.set(clip.id, picture)
    await writeFile(this.folder, `clip-${String(clip.id)}.jpg`, await picture)
  }
}
