/**
 * @file Finds the people in a video: samples frames, joins their faces into tracklets, and groups those by person.
 * Every frame is decoded, because cuts are found by comparing neighbours.
 */
import type { Clip, PeopleScan } from '@shared/people.ts'
import { codedPoints } from '../face/coded-points.ts'
import { regionOfPoints, yawOf, type Points } from '../face/landmarks.ts'
import type { FoundFace } from '../face/analyst.ts'
import { skinPattern } from '../face/skin-pattern.ts'
import { clustersOf } from '../people/clusters.ts'
import { cosineOf } from '../people/cosine.ts'
import { openEmbedder, samePersonCosine, type FaceEmbedder } from '../people/face-embedder.ts'
import { facePicture } from '../people/face-picture.ts'
import { peopleOf, type Shot } from '../people/people-of.ts'
import { addEmbedding, Tracklets, type Joined, type Tracklet } from '../people/tracklets.ts'
import { decodeFrames } from '../media/demux/decode-frames.ts'
import { mediaError, openMedia, type MediaInput } from '../media/demux/media-input.ts'
import { colorModelOf } from '../media/pixels/color.ts'
import { readFrame } from '../media/pixels/frame-planes.ts'
import { writeFile } from '../media/job-files.ts'
import { buffersOf, cutPatch, halve, planesByteLength, type ColorModel, type Planes } from '../media/pixels/planes.ts'
import { isCut, thumbnailOf } from '../track/cut.ts'
import type { JobContext, RequestOf } from './job-context.ts'

/** Time between two samples of a shot. */
const everyMs = 400
/** Each so many samples of a shot, from its first on, are searched for small faces, too. */
const fineEvery = 5
/** Faces per frame. */
const maxFaces = 12
/** Longer side, in pixels, above which a frame is halved for the search. */
const searchSide = 1300
/** Samples analysed at the same time. */
const atOnce = 3
/** Time between two reports of what was found so far. */
const reportMs = 1500
/** A face is embedded again if it is so much clearer, */
const betterBy = 1.3
/** or if its skin changed by this share of spots, or after this time: some cuts aren't noticed. Not from poor pictures. */
const check = { changed: 0.15, everyMs: 2000, quality: 0.3 }
/** Face width, in pixels, and yaw, in degrees, of a good and of a useless picture. */
const good = { width: 100, yaw: 60 }

interface Sample {
  ms: number
  planes: Planes
  isFine: boolean
}

interface Pictured {
  quality: number
  lastMs: number
  picture: Promise<Blob>
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
  readonly #folder: string
  readonly #media: MediaInput
  readonly #context: JobContext
  readonly #embedder: Promise<FaceEmbedder>
  readonly #tracklets = new Tracklets()
  readonly #shots: Shot[] = [{ fromMs: 0, toMs: Infinity }]
  readonly #pictured = new Map<Tracklet, Pictured>()
  readonly #written = new Map<number, Promise<Blob>>()
  #color: ColorModel = { matrix: 'bt709', full: false }
  #scannedMs = 0

  constructor(folder: string, media: MediaInput, context: JobContext) {
    this.#folder = folder
    this.#media = media
    this.#context = context
    this.#embedder = openEmbedder(context)
    // Awaited with the first face. Until then, avoid an unhandled rejection.
    this.#embedder.catch(() => undefined)
  }

  async run(report: (scan: PeopleScan) => void): Promise<void> {
    const { signal } = this.#context
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
    this.#scannedMs = this.#media.facts.durationMs
  }

  /** What was found so far. Writes the pictures of its clips. */
  async result(): Promise<PeopleScan> {
    const clusters = clustersOf(this.#tracklets.all)
    const people = peopleOf(clusters, this.#shots, everyMs)
    for (const { clips } of people) {
      const ids = clips.map(({ id }) => id)
      const cluster = clusters.find((tracklets) => tracklets.some(({ id }) => ids.includes(id)))
      for (const clip of clips) await this.#writePicture(clip, cluster)
    }
    return { people, scannedMs: this.#scannedMs }
  }

  close(): void {
    this.#embedder.then(
      (embedder) => {
        embedder.close()
      },
      () => undefined,
    )
  }

  /** Frames to analyse, and cuts between them. */
  async *#samples(): AsyncGenerator<Sample | 'cut'> {
    const { video, facts } = this.#media
    const { codedWidth, codedHeight } = facts
    /** The frame before, unless it was a sample. */
    let skipped: Pick<Sample, 'ms' | 'planes'> | null = null
    let spare: ArrayBuffer | null = null
    let before: Uint8Array | null = null
    let dueMs = -Infinity
    let number = 0
    for await (const { sample, timestamp } of decodeFrames(video, null)) {
      if (before === null) this.#color = colorModelOf(sample.colorSpace.toJSON(), facts.height)
      const ms = Math.max(0, Math.round((timestamp - facts.firstTimestamp) * 1000))
      const buffer: ArrayBuffer = spare ?? new ArrayBuffer(planesByteLength(codedWidth, codedHeight))
      spare = null
      const planes = await readFrame(sample, codedWidth, codedHeight, this.#color, buffer)
      const thumbnail = thumbnailOf(planes)
      if (before && isCut(before, thumbnail)) {
        // The last frame of a shot tells who is there until its end.
        if (skipped) yield { ...skipped, isFine: false }
        skipped = null
        const shot = this.#shots.at(-1)
        if (shot) shot.toMs = ms
        this.#shots.push({ fromMs: ms, toMs: Infinity })
        dueMs = ms
        number = 0
        yield 'cut'
      }
      before = thumbnail
      this.#scannedMs = ms
      // A sample's buffer is still in use.
      spare = (skipped?.planes.y.buffer as ArrayBuffer | undefined) ?? null
      skipped = ms < dueMs ? { ms, planes } : null
      if (skipped) continue
      dueMs = ms + everyMs
      yield { ms, planes, isFine: number % fineEvery === 0 }
      number += 1
    }
    if (skipped) yield { ...skipped, isFine: false }
  }

  async #faces({ planes, isFine }: Sample): Promise<FoundFace[]> {
    const { facts } = this.#media
    let { view } = facts
    let small = planes
    while (Math.max(small.width, small.height) > searchSide) {
      small = halve(small)
      view = { a: view.a / 2, b: view.b / 2, c: view.c / 2, d: view.d / 2, e: view.e / 2, f: view.f / 2 }
    }
    const patch = cutPatch(small, this.#color, { left: 0, top: 0, right: small.width, bottom: small.height })
    if (!patch) return []
    const size = { width: facts.width, height: facts.height }
    return this.#context.analyst.call('faces', [{ patch, view }, size, isFine ? 3 : 2, maxFaces], buffersOf(patch))
  }

  async #add({ ms, planes }: Sample, faces: readonly FoundFace[]): Promise<void> {
    const seen = faces.map(({ points, presence }) => ({
      ...{ points, presence },
      region: regionOfPoints(points),
      yaw: yawOf(points),
      pattern: skinPattern(planes, codedPoints(points, this.#media.facts.view)),
    }))
    for (const [at, joined] of this.#tracklets.add(ms, seen).entries()) {
      const face = seen[at]
      if (face) await this.#look(joined, ms, planes, face)
    }
  }

  /** Takes an embedding and a picture of a face, if they tell more than the earlier ones, or if it may be another face. */
  async #look(
    { tracklet, changed }: Joined,
    ms: number,
    planes: Planes,
    { points, presence, yaw }: { points: Points; presence: number; yaw: number },
  ): Promise<void> {
    const region = regionOfPoints(points)
    const quality =
      Math.min(1, region.size / 1.5 / good.width) * Math.max(0.02, 1 - Math.abs(yaw) / good.yaw) * presence
    const known = this.#pictured.get(tracklet)
    const isBetter = !known || quality > known.quality * betterBy
    if (!isBetter && changed < check.changed && ms - known.lastMs < check.everyMs) return
    const { view } = this.#media.facts
    const vector = await (await this.#embedder).embed(planes, this.#color, codedPoints(points, view))
    const isOther =
      known !== undefined &&
      Math.min(quality, known.quality) >= check.quality &&
      cosineOf(tracklet.sum ?? vector, vector) < samePersonCosine
    const own = isOther ? this.#tracklets.partLast(tracklet) : tracklet
    addEmbedding(own, vector, quality)
    const before = isOther ? null : known
    const picture = isBetter || !before ? facePicture(planes, this.#color, view, region) : before.picture
    // Awaited when it is written.
    picture.catch(() => undefined)
    this.#pictured.set(own, { quality: Math.max(quality, before?.quality ?? 0), lastMs: ms, picture })
  }

  /** Writes the best picture of a clip's face. */
  async #writePicture(clip: Clip, cluster: readonly Tracklet[] = []): Promise<void> {
    const shot = cluster.find(({ id }) => id === clip.id)?.shot
    const pictures = cluster
      .filter((tracklet) => tracklet.shot === shot)
      .flatMap((tracklet) => this.#pictured.get(tracklet) ?? [])
    const best = pictures.reduce<Pictured | null>(
      (one, other) => (one && one.quality >= other.quality ? one : other),
      null,
    )
    if (!best || this.#written.get(clip.id) === best.picture) return
    this.#written.set(clip.id, best.picture)
    await writeFile(this.#folder, `clip-${String(clip.id)}.jpg`, await best.picture)
  }
}
