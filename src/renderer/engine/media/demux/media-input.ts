/** @file Opens a video by its URL and reads its properties. Every failure has an error code. */
import {
  ALL_FORMATS,
  AttachedFile,
  CustomSource,
  EncodedPacketSink,
  Input,
  InputDisposedError,
  UnsupportedInputFormatError,
  type InputFormat,
  type InputVideoTrack,
  type VideoTrackMetadata,
} from 'mediabunny'
import { MienError } from '@shared/mien-error.ts'
import type { Missing } from '@shared/engine/engine.ts'
import type { Range } from '@shared/people/people.ts'
import { fileType, headBytes, type FileType } from '@shared/files/file-type.ts'
import { uprightToCoded, type Affine } from '../../common/affine.ts'
import { marksOfAnimation, marksOfVideo, type Marks } from '../marks/marks.ts'
import { namesOf, sortSound, type KeptSound } from '../audio/sound.ts'
import { noRoles, type Roles } from '../containers/roles.ts'
import { fieldLinesOfSps, frameSecondsOfSps } from '../pixels/avc-color.ts'
import { modelOfTags, type ColorTags } from '../pixels/color-tags.ts'
import type { ColorModel } from '../pixels/planes.ts'
import { colorTagsOf, spsOf } from '../pixels/stream-tags.ts'
import { bitrateOfAnimation, missingOfAnimation, openAnimation, readAnimation } from './animation.ts'
import { extrasOf, noExtras, type Extras } from './extras.ts'
import { firstShown, SwapPlan } from '../range/swap-plan.ts'
import { fromFirstPacket, withSteadyClock } from './transport-clock.ts'
import { withAac } from './transport-tables.ts'
import { withWholeIndex } from './whole-index.ts'
import { VersionedFile } from '../versioned-file.ts'

export interface VideoFacts {
  kind: 'video' | 'animation'
  container: string
  codec: string
  /** Size in pixels as coded. */
  codedWidth: number
  codedHeight: number
  /** Size in pixels as shown, after rotation and pixel aspect ratio. */
  width: number
  height: number
  /** Degrees clockwise. */
  rotation: 0 | 90 | 180 | 270
  flip: boolean
  durationMs: number
  /** True if the last frame lasts shorter than its packet says: until the end of the duration. */
  endsEarly: boolean
  frames: number
  fps: number
  /** Ticks per second of the track's clock. */
  timeResolution: number
  /** Seconds. */
  firstTimestamp: number
  /** Earliest time of the picture and the sound that is kept, in seconds, not before 0 where that is hidden. It is the result's 0. */
  earliest: number
  /** Bits per second. */
  bitrate: number
  /** Codec of the first audio track, kept or not; null without audio. */
  audioCodec: string | null
  /** Codecs of the audio tracks that can't be kept. */
  lostSound: string[]
  missing: Missing[]
  /** Maps upright to coded pixels. */
  view: Affine
  /** Language and title of its track. */
  names: Pick<VideoTrackMetadata, 'languageCode' | 'name'>
  /** What its track is for. */
  roles: Roles
  /** What the video says about its colours. */
  tags: ColorTags
  /** How its planes are read for faces. */
  color: ColorModel
}

export interface MediaInput {
  video: InputVideoTrack
  /** Audio tracks that the swapped video keeps. */
  audio: KeptSound[]
  facts: VideoFacts
  plan: SwapPlan
  /** Marks of the file that its results keep. */
  marks: () => Promise<Marks>
  /** Reads its subtitles and chapters. */
  texts: Extras['texts']
  /** Checks that the file didn't change while it was read. @throws MienError `file-changed` */
  unchanged: () => Promise<void>
  close: () => void
}

/** Maximum macroblocks per frame in H.264 level 5.2 (ITU-T H.264, table A-1: MaxFS): about 4096 × 2304 pixels. */
const maxBlocks = 36_864
/** How long a frame lasts if nothing says it, as in ffmpeg. */
const frameMs = 40

/**
 * @param range null: the whole video
 * @throws MienError `not-a-video`, `no-video-track`, `codec-unsupported`, `video-damaged`, errors of `VersionedFile` and
 *   `SwapPlan.of`
 */
export async function openMedia(url: string, signal: AbortSignal, range: Range | null = null): Promise<MediaInput> {
  const file = new VersionedFile(url, signal)
  let close = (): void => undefined
  try {
    const animation = await readAnimation(file)
    const whole = await fromFirstPacket(file)
    // What is read of an animation is an index of its own, in colours of its own.
    const extras = animation ? noExtras(await file.size()) : await extrasOf(whole)
    const opened = animation && (await openAnimation(animation))
    const steady = await withSteadyClock(withAac(upTo(whole, extras.end), extras.aacTypes))
    const source = extras.hasFragments === true ? await withWholeIndex(steady) : steady
    const input = opened?.input ?? new Input({ source: sourceOf(source), formats: ALL_FORMATS })
    close = () => {
      input.dispose()
      opened?.close()
    }
    const media = await readMedia(input, file, extras)
    const facts: VideoFacts = animation
      ? {
          ...{ ...media.facts, kind: 'animation', container: animation.name, codec: animation.name.toLowerCase() },
          bitrate: bitrateOfAnimation(animation),
          missing: missingOfAnimation(animation),
        }
      : media.facts
    const plan = await planOf(range, { video: media.video, facts })
    const marks = (): Promise<Marks> => (animation ? marksOfAnimation(file) : marksOfVideo(input, file, extras.title))
    return { ...media, facts, plan, marks, texts: extras.texts, unchanged: () => file.unchanged(), close }
  } catch (error) {
    close()
    throw mediaError(error, signal)
  }
}

/** @param range null: the whole video. @throws as `SwapPlan.of` */
export async function planOf(
  range: Range | null,
  { video, facts }: Pick<MediaInput, 'video' | 'facts'>,
): Promise<SwapPlan> {
  const whole = SwapPlan.whole(facts)
  return range ? SwapPlan.of(video, range, whole) : whole
}

async function readMedia(
  input: Input,
  file: VersionedFile,
  { missing, colors, languages, delays, codecs, ends, roles, lostSound = [] }: Extras,
): Promise<Pick<MediaInput, 'video' | 'audio' | 'facts'>> {
  const format = await readFormat(input, file)
  const video = await input.getPrimaryVideoTrack()
  if (!video) {
    // A container without its index has no tracks at all.
    const tracks = await input.getTracks()
    const type = await typeOf(file)
    if (type?.name === 'Theora') throw new MienError('codec-unsupported', { codec: 'Theora' })
    // A HEIC picture starts like an MP4 file.
    if (tracks.length === 0 && type && type.family !== 'video') throw foreignFile(type, null)
    throw tracks.length > 0 ? new MienError('no-video-track') : new MienError('video-damaged', { reason: 'no tracks' })
  }
  const codec = await video.getCodec()
  const ownName = await video.getInternalCodecId()
  const codecName = codec ?? codecs?.get(video.id) ?? (typeof ownName === 'string' ? ownName : 'unknown')
  if (!codec || !(await video.canDecode())) throw new MienError('codec-unsupported', { codec: codecName })
  await refuseDynamicRange(video)
  if (await video.canBeTransparent()) throw new MienError('codec-unsupported', { reason: 'transparency', codec })
  const stats = await video.computePacketStats()
  if (stats.packetCount === 0) throw new MienError('video-damaged', { reason: 'no frames' })
  await refuseCutOff(video)
  // Chromium's decoder begins only at IDR frames, not at recovery points: https://github.com/w3c/webcodecs/issues/650
  if (codec === 'avc' && !(await new EncodedPacketSink(video).getFirstKeyPacket({ verifyKeyPackets: true })))
    throw new MienError('codec-unsupported', { reason: 'no-start', codec })
  const isTransport = format.name === 'MPEG Transport Stream'
  const sps = codec === 'avc' ? await spsOf(video) : null
  const fieldLines = sps ? fieldLinesOfSps(sps) : 0
  const codedWidth = await video.getCodedWidth()
  const lines = await video.getCodedHeight()
  // There, mediabunny counts the lines of one field.
  const codedHeight = lines + (isTransport ? fieldLines : 0)
  if (Math.ceil(codedWidth / 16) * Math.ceil(codedHeight / 16) > maxBlocks) {
    throw new MienError('codec-unsupported', { reason: 'size', codec, width: codedWidth, height: codedHeight })
  }
  const said = await video.getRotation()
  const isRight = isRightAngle(await video.getTransformationMatrix())
  const rotation = isRight ? said : 0
  const flip = isRight && (await video.getFlip())
  const shownLines = Math.round(((await video.getDisplayHeight()) * codedHeight) / lines)
  const size = [await video.getDisplayWidth(), shownLines] as const
  const [width, height] = (said - rotation) % 180 === 0 ? size : ([size[1], size[0]] as const)
  const { time: start, hidden } = await firstShown(video)
  const surplus = isTransport && sps ? await surplusOf(video, sps) : await beyondEdit(video, ends?.get(video.id))
  const zero = hidesEarly(format) ? 0 : Math.min(0, start)
  const length = (await video.computeDuration()) - surplus - Math.max(zero, start)
  // A single frame may have no duration, with which there is no rate.
  const isEndless = length <= 0 && stats.packetCount === 1
  const tags = await colorTagsOf(video, colors.get(video.id))
  const { images = [], raw = {} } = await input.getMetadataTags()
  const hasFiles = Object.values(raw).some((one) => one instanceof AttachedFile && !one.mimeType?.startsWith('image/'))
  const pictures = await input.getVideoTracks()
  const sound = await sortSound(await input.getAudioTracks(), { languages, delays, codecs, roles })
  return {
    video,
    audio: sound.kept,
    facts: {
      kind: 'video',
      container: format.name,
      codec,
      codedWidth,
      codedHeight,
      width,
      height,
      rotation,
      flip,
      durationMs: isEndless ? frameMs : Math.max(1, Math.round(length * 1000)),
      endsEarly: surplus > 0,
      frames: stats.packetCount - hidden,
      fps: isEndless ? 1000 / frameMs : stats.averagePacketRate,
      timeResolution: await video.getTimeResolution(),
      firstTimestamp: start,
      earliest: await earliestOf(start, sound.kept, zero),
      bitrate: isEndless ? (await bytesOf(video)) * 8 * (1000 / frameMs) : stats.averageBitrate,
      audioCodec: sound.codec ?? lostSound[0] ?? null,
      lostSound: [...sound.lost, ...lostSound],
      missing: [
        ...(images.length > 0 ? (['cover'] as const) : []),
        ...missing,
        ...(hasFiles ? (['attachments'] as const) : []),
        ...(pictures.length > 1 ? (['pictures'] as const) : []),
        ...(fieldLines > 0 ? (['fields'] as const) : []),
      ],
      view: uprightToCoded({ width: codedWidth, height: codedHeight }, { width, height, rotation, flip }),
      names: await namesOf(video, languages?.get(video.id)),
      roles: roles?.get(video.id) ?? noRoles,
      tags,
      color: modelOfTags(tags, codedHeight),
    },
  }
}

const bytesOf = async (video: InputVideoTrack): Promise<number> =>
  (await new EncodedPacketSink(video).getFirstPacket({ metadataOnly: true }))?.byteLength ?? 0

/**
 * Seconds by which the last packet of H.264 in MPEG-TS lasts too long. The container has no durations, so mediabunny
 * repeats the last one that it found, which is too long at a variable frame rate. Players take what the stream says.
 */
async function surplusOf(video: InputVideoTrack, sps: Uint8Array): Promise<number> {
  const told = frameSecondsOfSps(sps)
  const last = await new EncodedPacketSink(video).getPacket(Infinity, { metadataOnly: true })
  // Clocks of 90 kHz round.
  return told !== null && last && last.duration - told > 0.001 ? last.duration - told : 0
}

/** Seconds by which ends that are rounded differ. */
const rounding = 0.005

/**
 * Seconds by which the last frame lasts longer than its track's edit. Of frames in another order, the index has only
 * distances in that order, so how long the last one lasts is that of another.
 * @param end of the edit in seconds; undefined: there is none
 */
async function beyondEdit(video: InputVideoTrack, end: number | undefined): Promise<number> {
  const last = end === undefined ? null : await new EncodedPacketSink(video).getPacket(Infinity, { metadataOnly: true })
  const beyond = last && end !== undefined ? last.timestamp + last.duration - end : 0
  return last && beyond > rounding && beyond < last.duration ? beyond : 0
}

/** Whether players leave out what is before 0, where edits of MP4 put it. Of Matroska, they show it. */
const hidesEarly = ({ name }: InputFormat): boolean => !['Matroska', 'WebM'].includes(name)

/** @param zero where the result can begin. Sound that begins before it, such as AAC's priming, stays there. */
async function earliestOf(start: number, sound: readonly KeptSound[], zero: number): Promise<number> {
  const starts = await Promise.all(sound.map(async ({ track, delay }) => (await track.getFirstTimestamp()) - delay))
  return Math.max(zero, Math.min(start, ...starts))
}

/** Players ignore a display matrix that turns by no multiple of 90 degrees. @param matrix see `TransformationMatrix` */
function isRightAngle([a, b]: readonly number[]): boolean {
  const [one, other] = [Math.abs(a ?? 1), Math.abs(b ?? 0)]
  return Math.min(one, other) < Math.max(one, other) / 50
}

/** Rejects incomplete downloads: the index is present, but the last packet's data is missing. */
async function refuseCutOff(video: InputVideoTrack): Promise<void> {
  const packets = new EncodedPacketSink(video)
  const last = await packets.getPacket(Infinity, { metadataOnly: true })
  const whole =
    last &&
    (await packets.getPacket(last.timestamp).catch((error: unknown) => {
      if (error instanceof MienError) throw error
      return null
    }))
  if (whole?.data.byteLength !== last?.byteLength) throw new MienError('video-damaged', { reason: 'cut off' })
}

/** Rejects HDR. The output is SDR, and without tone mapping the colours would be wrong. */
async function refuseDynamicRange(video: InputVideoTrack): Promise<void> {
  // Chromium also reports pq and hlg, which TypeScript's type lacks.
  const transfer = (await video.getColorSpace()).transfer as string | null | undefined
  if (transfer === 'pq') throw new MienError('codec-unsupported', { reason: 'range', codec: 'HDR10' })
  if (transfer === 'hlg') throw new MienError('codec-unsupported', { reason: 'range', codec: 'HLG' })
}

/** The container format. @throws MienError if the file isn't a supported video */
async function readFormat(input: Input, file: VersionedFile): Promise<InputFormat> {
  try {
    return await input.getFormat()
  } catch (error) {
    if (error instanceof MienError || error instanceof InputDisposedError) throw error
    throw foreignFile(await typeOf(file), error)
  }
}

async function typeOf(file: VersionedFile): Promise<FileType | null> {
  return fileType(await file.read(0, Math.min(headBytes, await file.size())))
}

function foreignFile(type: FileType | null, cause: unknown): MienError {
  if (type?.family !== 'video')
    return new MienError('not-a-video', { found: type?.family ?? null, type: type?.name ?? null }, { cause })
  // These formats are supported, so a file that only starts like one is damaged. QuickTime without `ftyp` isn't.
  if (['MP4', 'Matroska', 'WebM', 'MPEG-TS'].includes(type.name)) return new MienError('video-damaged', {}, { cause })
  return new MienError('codec-unsupported', { reason: 'container', container: type.name }, { cause })
}

/** Converts any error of reading a video to a `MienError`. */
export function mediaError(error: unknown, signal: AbortSignal): MienError {
  if (signal.aborted) return new MienError('cancelled')
  if (error instanceof MienError) return error
  if (error instanceof UnsupportedInputFormatError) return new MienError('not-a-video')
  if (error instanceof InputDisposedError) return new MienError('cancelled')
  const reason = error instanceof Error ? error.message : String(error)
  return new MienError('video-damaged', { reason: reason.slice(0, 200) }, { cause: error })
}

/** The file without what is behind `end`. */
const upTo = (file: Pick<VersionedFile, 'size' | 'read'>, end: number): Pick<VersionedFile, 'size' | 'read'> => ({
  size: () => Promise.resolve(end),
  read: (from, to) => file.read(from, Math.min(to, end)),
})

/** Unlike the library's own URL source, it fails at the first error instead of retrying forever. */
function sourceOf(file: Pick<VersionedFile, 'size' | 'read'>): CustomSource {
  return new CustomSource({
    getSize: () => file.size(),
    read: (start, end) => file.read(start, end),
    prefetchProfile: 'network',
    maxCacheSize: 16 * 1024 * 1024,
    // The read that needs the bytes reports the error.
    handleUnhandledError: () => undefined,
  })
}
