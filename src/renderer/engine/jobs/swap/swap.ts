/** @file Runs a swap from the request to the finished file. */
import type { SwapResult } from '@shared/engine/engine.ts'
import type { EncoderChoice } from '@shared/engine/encoder.ts'
import type { Range } from '@shared/people/people.ts'
import { MienError } from '@shared/mien-error.ts'
import { digestOf, fingerprint, sha256 } from '../../media/versioned-file.ts'
import { refuseChangingSize } from '../../media/demux/key-frames.ts'
import { openMedia, planOf, type MediaInput } from '../../media/demux/media-input.ts'
import type { ColorTags } from '../../media/pixels/color-tags.ts'
import { encodingOf } from '../../media/encode/even-frame.ts'
import { canEncode, encodeWithFallback } from '../../media/encode/segment-encoder.ts'
import type { Points } from '../../face/landmarks.ts'
import { oddPictures } from '../../source/same-person.ts'
import { PersonPath } from '../../track/person-path.ts'
import { EarlyFrames, keepSeen, keyOfSeen, takeSeen } from './early-frames.ts'
import { findOn, hardest, seePerson, stillOfFrame, type SeenPerson, type Wanted } from './first-frames.ts'
import { type JobContext, type RequestOf, Progress } from '../job-context.ts'
import { RenderWorkers } from '../frames/render-workers.ts'
import { Preview, type Still } from '../frames/stills.ts'
import { prepareMesh, type FinishFace, type PreparedFace, prepareModel } from './prepare-face.ts'
import { labelChoiceOf } from '../../media/label/label-drawing.ts'
import { engineVersion, SegmentStore } from '../segments/segments.ts'
import { NotTheSame, SwapRun } from './swap-run.ts'

/**
 * Resumes after segments in the folder if they were made from the same inputs.
 * @param whole of a part that is swapped again: `reach` is the range in whose frames the usual face of each person is
 *   looked for, `resultStart` as in `RunParts`, `tags` those of the result
 * @throws MienError the codes of the face (these first), of the video, `range-invalid`, `no-face-in-video`, `disk-full`,
 *   `cancelled`
 */
export async function swap(
  request: RequestOf<'swap'>,
  context: JobContext,
  whole: { reach: Range | null; resultStart: number; tags: ColorTags } | null = null,
): Promise<SwapResult> {
  const reach = whole ? whole.reach : request.proofOf ? request.proofOf.range : request.range
  const started = performance.now()
  const progress = new Progress((state) => {
    context.emit({ type: 'progress', id: request.id, progress: state })
  })
  progress.update({ stage: 'preparing' })
  const workers = new RenderWorkers(request.options)
  const preparing = prepareAll(request, context)
  // Awaited once the video is open. Until then, avoid an unhandled rejection.
  preparing.catch(() => undefined)
  const media = await openMedia(request.video, context.signal, request.range).catch(async (error: unknown) => {
    workers.close()
    // Errors of the face take precedence.
    await preparing
    throw error
  })
  let prepared: Promise<PreparedFace[]> | null = null
  const early = new EarlyFrames()
  let done = false
  try {
    const { width, height, durationMs } = media.facts
    progress.update({ footage: { width, height, durationMs }, framesTotal: media.plan.frames })
    const preview = request.proofOf ? null : new Preview(request.folder)
    const wanted = wantedOf(request, media)
    const looked = seeAll(request, reach, { media, context, wanted, early })
    const seen = looked.then(({ people }) => people)
    // Parts are of a video that was looked at.
    const sized = whole || request.proofOf ? null : refuseChangingSize(media)
    prepared = Promise.all([seen, preparing, sized]).then(async ([found, { finishers }]) => {
      const finishing = finishers.map((finish, at) => finish(media, found[at] ?? { frames: [], more: [] }))
      const faces = await finishAll(finishing)
      workers.open(() => faces.map(({ open }) => open()), media.facts.color)
      return faces
    })
    // Awaited below. Until then, avoid an unhandled rejection.
    prepared.catch(() => undefined)
    preview?.show(firstStill({ media, context, wanted, seen, prepared, workers }))
    void preview?.settle().then(
      () => progress.update({ previewFrame: preview.frame }),
      () => undefined,
    )
    const ready = prepared.then(() => performance.now())
    ready.catch(() => undefined)
    const inputs = await inputsOf(request, whole?.resultStart ?? null, context.signal)
    const storeOf = async (way: EncoderChoice): Promise<SegmentStore> =>
      new SegmentStore(request.folder, await sha256([inputs, way.encoder, way.fellBack].join('\n')))
    const own = encodingOf(media.facts, request.options)
    const encoding = whole ? { ...own, tags: whole.tags } : own
    const resultStart = whole?.resultStart ?? media.plan.start
    const parts = {
      request,
      context,
      media,
      encoding,
      faces: prepared,
      workers,
      wanted,
      seen,
      early,
      progress,
      preview,
      resultStart,
    }
    const result = await encodeWithFallback(request.encoder, {
      fits: () => canEncode(encoding, 'hardware'),
      isBegun: async (way) => (await (await storeOf(way)).next()) !== null,
      run: async (way) => {
        const work = { ...parts, encoder: way.encoder }
        return new SwapRun({ ...work, store: await storeOf(way) }).run(true).catch(async (error: unknown) => {
          if (!(error instanceof NotTheSame)) throw error
          return new SwapRun({ ...work, store: await storeOf(way) }).run(false)
        })
      },
    })
    await media.unchanged()
    done = true
    const [began, ended] = [await ready, performance.now()]
    return {
      ...result,
      oddPictures: (await preparing).odd,
      elapsedMs: Math.round(ended - started),
      workFps: ((result.frames - (result.stages['keptFrames'] ?? 0)) * 1000) / (ended - began),
      stages: {
        ...result.stages,
        ...{ keptPeople: Number((await looked).isKept), prepare: began - started, work: ended - began },
      },
    }
  } catch (error) {
    // It may have failed before it decoded anything.
    early.offer(null)
    // Errors of the face take precedence.
    const faceError: unknown = await prepared?.then(
      () => null,
      (other: unknown) => other,
    )
    if (context.signal.aborted) throw new MienError('cancelled')
    throw faceError ?? error
  } finally {
    media.close()
    workers.close()
    // A cancelled swap may still be preparing.
    void prepared?.then(
      (faces) => {
        for (const face of faces) face.close(done)
      },
      () => undefined,
    )
  }
}

/** The faces of the cast, one after the other: each needs memory while it is prepared. */
export async function prepareAll(
  { cast, method, options }: RequestOf<'swap'>,
  context: JobContext,
): Promise<Preparation> {
  const finishers: FinishFace[] = []
  const odd: SwapResult['oddPictures'] = []
  for (const [face, { pictures }] of cast.entries()) {
    const others = await oddPictures(pictures, context)
    odd.push(...others.map((other) => ({ face, ...other })))
    const own = pictures.filter((_, at) => !others.some(({ picture }) => picture === at))
    finishers.push(await (method ? prepareModel(own, method, context) : prepareMesh(own, options.keep, context)))
  }
  return { finishers, odd }
}

interface Preparation {
  finishers: FinishFace[]
  odd: SwapResult['oddPictures']
}

/** Closes all if one fails. */
async function finishAll(finishing: Promise<PreparedFace>[]): Promise<PreparedFace[]> {
  const settled = await Promise.allSettled(finishing)
  const faces = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failure = settled.find((one) => one.status === 'rejected')
  if (!failure) return faces
  for (const face of faces) face.close(false)
  throw failure.reason
}

const anybody: Wanted = { clips: null, path: null }

function wantedOf({ cast, stay }: RequestOf<'swap'>, { facts }: MediaInput): Wanted[] {
  return cast.map(({ clips }, face) => {
    if (!clips) return anybody
    const others = [...stay, ...cast.flatMap((other, at) => (at === face ? [] : (other.clips ?? [])))]
    return { clips, path: new PersonPath(clips, others, facts.firstTimestamp) }
  })
}

/**
 * Looks at the people before the swap starts, or takes what a proof of this swap found.
 * @param reach as of `swap`
 */
async function seeAll(
  request: RequestOf<'swap'>,
  reach: Range | null,
  parts: { media: MediaInput; context: JobContext; wanted: readonly Wanted[]; early: EarlyFrames },
): Promise<{ people: SeenPerson[]; isKept: boolean }> {
  const { media, context, wanted, early } = parts
  const isProof = request.proofOf !== null
  const key = await keyOfSeen(request, reach, context.signal)
  const known = key === null ? null : takeSeen(key, isProof)
  if (known) return { people: known, isKept: true }
  const whole = reach === request.range ? media : { ...media, plan: await planOf(reach, media) }
  const people = await Promise.all(wanted.map((person) => seePerson(whole, context, person, early)))
  if (isProof && key !== null && !context.signal.aborted) keepSeen(key, people)
  return { people, isKept: false }
}

/** The first preview, or null. Errors are ignored here: the swap itself reports them. */
async function firstStill(parts: {
  media: MediaInput
  context: JobContext
  wanted: readonly Wanted[]
  seen: Promise<SeenPerson[]>
  prepared: Promise<PreparedFace[]>
  workers: RenderWorkers
}): Promise<Still | null> {
  const { media, context, wanted, workers } = parts
  try {
    const [seen, faces] = await Promise.all([parts.seen, parts.prepared])
    const frame = hardest(seen.flatMap(({ frames }) => frames))
    if (!frame) return null
    const found: (Points | null)[] = []
    for (const at of faces.keys()) {
      const isOwn = seen[at]?.frames.includes(frame)
      found.push(isOwn ? frame.points : await findOn(frame, media, context, wanted[at] ?? anybody))
    }
    return found.some((points) => points !== null) ? await stillOfFrame(frame, found, workers, media) : null
  } catch {
    return null
  }
}

/** SHA-256 of everything the result depends on, except the encoder and what runs the models. */
async function inputsOf(request: RequestOf<'swap'>, resultStart: number | null, signal: AbortSignal): Promise<string> {
  const { video, cast, stay, range, options, method, proofOf } = request
  const faces = await Promise.all(
    cast.map(async ({ pictures, clips }) => [
      ...(await Promise.all(pictures.map((picture) => digestOf(picture, signal)))),
      JSON.stringify(clips),
    ]),
  )
  const { size, quality, encoder: _, label: _label, labelLanguage: _language, ...drawn } = options
  // Earlier versions had neither size, quality nor label; their segments can still be used.
  const written: unknown[] = size === null && quality === 'balanced' ? [] : [size, quality]
  const label = labelChoiceOf(options)
  if (label) written.push({ label, resultStart })
  const inputs = [await fingerprint(video, signal), ...faces.flat(), JSON.stringify([stay, range, drawn, ...written])]
  const models = method ? [method.swapper, method.recogniser, method.converter].filter((file) => file !== null) : []
  for (const { url, spec } of models) inputs.push(JSON.stringify(spec), await fingerprint(url, signal))
  if (proofOf) inputs.push(JSON.stringify(proofOf))
  const parts = [engineVersion, navigator.userAgent, ...inputs, ...(method ? [method.strength] : [])]
  return sha256(parts.join('\n'))
}
