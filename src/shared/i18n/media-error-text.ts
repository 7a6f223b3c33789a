/** @file Error texts for pictures, videos, files and their addresses. */
import type { addressErrors, choiceErrors, fileErrors, pictureErrors, videoErrors } from '../mien-error.ts'
import { mediaKindOf } from '../files/media-names.ts'
import { because, byReason, filled, named, ofFile, type ErrorText, type Facts } from './error-facts.ts'
import { formatBytes, formatCodec, formatCount } from './format.ts'
import { m } from './paraglide/messages.js'

type MediaErrorCode = (
  typeof pictureErrors | typeof videoErrors | typeof choiceErrors | typeof fileErrors | typeof addressErrors
)[number]

const rangeProblems = {
  order: m.error_range_invalid_order,
  overlap: m.error_range_invalid_overlap,
  outside: m.error_range_invalid_outside,
  empty: m.error_range_invalid_empty,
}

function notAVideo(f: Facts): string {
  const type = f.text('type')
  switch (f.text('found')) {
    case 'text':
      return mediaKindOf(f.name ?? '') === 'video'
        ? m.error_not_a_video_body_text_named()
        : m.error_not_a_video_body_text()
    case 'picture':
      return m.error_not_a_video_body_picture()
    case 'document':
      return filled(m.error_not_a_video_body, m.error_not_a_video_body_kind, { kind: type })
    default:
      return m.error_not_a_video_body()
  }
}

/** The engine timed out. The cause is the file or an overloaded computer. */
const tookTooLong = (f: Facts): boolean => f.text('reason') === 'no answer in time'
const slowText = ofFile(m.error_reading_slow, m.error_reading_slow_named, m.error_reading_slow_body)
const pictureTexts = {
  unreadable: ofFile(m.error_picture_unreadable, m.error_picture_unreadable_named, m.error_picture_unreadable_body),
  video: ofFile(m.error_picture_is_video, m.error_picture_is_video_named, m.error_picture_is_video_body),
  text: ofFile(m.error_not_a_picture, m.error_not_a_picture_named, m.error_not_a_picture_body_text),
  sound: ofFile(m.error_not_a_picture, m.error_not_a_picture_named, m.error_not_a_picture_body_sound),
  'cut-off': ofFile(m.error_picture_cut_off, m.error_picture_cut_off_named, m.error_picture_cut_off_body),
}

function unreadablePicture(f: Facts): ErrorText {
  if (tookTooLong(f)) return slowText(f)
  const kind = f.text('kind') ?? 'unreadable'
  if (Object.hasOwn(pictureTexts, kind)) return pictureTexts[kind as keyof typeof pictureTexts](f)
  return {
    title: filled(() => m.error_picture_kind({ kind }), m.error_container_named, { name: f.name, kind }),
    body: kind === 'HEIC' ? m.error_picture_kind_body_heic() : m.error_picture_kind_body({ kind }),
  }
}

function folderBody(f: Facts): string {
  if (f.text('reason') === 'one-file') return m.error_file_is_folder_body_one()
  const [pictures, videos] = [f.number('pictures') ?? 0, f.number('videos') ?? 0]
  if (pictures === 0 && videos === 0) return m.error_file_is_folder_body()
  return m.error_file_is_folder_body_counts({ pictures: formatCount(pictures), videos: formatCount(videos) })
}

/** There may be a face, but none that can be swapped or used. */
function noFace(f: Facts): ErrorText {
  const [pixels, degrees] = [f.text('pixels'), f.text('degrees')]
  const isTurned = f.text('reason') === 'turned'
  if (f.number('parts') !== null)
    return {
      title: isTurned ? m.error_face_turned_away_in_part() : m.error_no_face_in_part(),
      body: m.error_no_face_in_part_body(),
    }
  if (pixels !== null)
    return { title: m.error_face_too_small_in_video(), body: m.error_no_face_in_video_body_pixels({ pixels }) }
  if (degrees !== null)
    return { title: m.error_face_turned_away_in_video(), body: m.error_no_face_in_video_body_degrees({ degrees }) }
  const isPicture = f.text('kind') === 'picture'
  if (isTurned)
    return {
      title: isPicture ? m.error_face_turned_away() : m.error_face_turned_away_in_video(),
      body: m.error_face_turned_away_body(),
    }
  return {
    title: isPicture ? m.error_no_face_in_picture() : m.error_no_face_in_video(),
    body: m.error_no_face_in_video_body(),
  }
}

const coveredParts = {
  eyes: m.error_face_covered_body_eyes,
  unsure: m.error_face_covered_body_unsure,
  mouth: m.error_face_covered_body_mouth,
}

function unsupportedCodec(f: Facts): ErrorText {
  const codec = f.text('codec')
  switch (f.text('reason')) {
    case 'container': {
      const kind = f.text('container')
      if (kind === null) break
      return {
        title: filled(() => m.error_container({ kind }), m.error_container_named, { name: f.name, kind }),
        body: m.error_container_body({ kind }),
      }
    }
    case 'range':
      return { title: m.error_codec_range({ codec: codec ?? 'HDR' }), body: m.error_codec_range_body() }
    case 'size': {
      const [width, height] = [String(f.number('width') ?? ''), String(f.number('height') ?? '')]
      return { title: m.error_codec_size({ width, height }), body: m.error_codec_size_body() }
    }
    case 'bytes': {
      const limit = formatBytes(f.number('limit') ?? 0)
      return { title: m.error_animation_bytes({ kind: codec ?? 'GIF' }), body: m.error_animation_bytes_body({ limit }) }
    }
    case 'transparency':
      return { title: m.error_codec_transparency(), body: m.error_codec_transparency_body() }
    case 'size-changes':
      return { title: m.error_codec_size_changes(), body: m.error_codec_size_changes_body() }
    case 'no-start':
      return { title: m.error_codec_no_start(), body: m.error_codec_no_start_body() }
  }
  if (codec === null) return { title: m.error_codec_unsupported(), body: m.error_codec_unsupported_body() }
  const name = { codec: formatCodec(codec) }
  return { title: m.error_codec_unsupported_codec(name), body: m.error_codec_unsupported_codec_body(name) }
}

const damages = {
  'cut off': m.error_video_damaged_body_cut_off,
  'no tracks': m.error_video_damaged_body_empty,
  'no frames': m.error_video_damaged_body_empty,
  'no readable frame': m.error_video_damaged_body_unreadable,
  'no frame could be read': m.error_video_damaged_body_unreadable,
}

function silentAddress(f: Facts): string {
  const { host, seconds } = f
  if (host === null) return m.error_address_silent_body()
  return seconds === null
    ? m.error_address_silent_body_host({ host })
    : m.error_address_silent_body_seconds({ host, seconds })
}

export const mediaErrorTexts: Record<MediaErrorCode, (f: Facts) => ErrorText> = {
  'picture-unreadable': unreadablePicture,
  'picture-too-large': (f) => ({
    title: named(f, m.error_picture_too_large, m.error_picture_too_large_named),
    body: filled(m.error_picture_too_large_body, m.error_picture_too_large_body_size, {
      ...{ megapixels: f.text('megapixels'), limit: f.text('limit') },
    }),
  }),
  'no-face-in-picture': () => ({ title: m.error_no_face_in_picture(), body: m.error_no_face_in_picture_body() }),
  'face-too-small': (f) => ({
    title: m.error_face_too_small(),
    body: filled(m.error_face_too_small_body, m.error_face_too_small_body_pixels, { pixels: f.text('pixels') }),
  }),
  'face-turned-away': (f) => ({
    title: m.error_face_turned_away(),
    body: filled(m.error_face_turned_away_body, m.error_face_turned_away_body_degrees, { degrees: f.text('degrees') }),
  }),
  'face-covered': (f) => ({
    title: named(f, m.error_face_covered, m.error_face_covered_named),
    body: byReason(f.text('part'), coveredParts, m.error_face_covered_body),
  }),
  'picture-other-person': ofFile(
    m.error_picture_other_person,
    m.error_picture_other_person_named,
    m.error_picture_other_person_body,
  ),
  'not-a-video': (f) => ({ title: named(f, m.error_not_a_video, m.error_not_a_video_named), body: notAVideo(f) }),
  'file-empty': ofFile(m.error_file_empty, m.error_file_empty_named, m.error_file_empty_body),
  'file-missing': ofFile(m.error_file_missing, m.error_file_missing_named, m.error_file_missing_body),
  'file-is-folder': (f) => ({
    title: named(f, m.error_file_is_folder, m.error_file_is_folder_named),
    body: folderBody(f),
  }),
  'file-unreadable': ofFile(m.error_file_unreadable, m.error_file_unreadable_named, m.error_file_unreadable_body),
  'file-unreachable': ofFile(m.error_file_unreachable, m.error_file_unreachable_named, m.error_file_unreachable_body),
  'file-changed': ofFile(m.error_file_changed, m.error_file_changed_named, m.error_file_changed_body),
  'no-video-track': ofFile(m.error_no_video_track, m.error_no_video_track_named, m.error_no_video_track_body),
  'codec-unsupported': unsupportedCodec,
  'video-damaged': (f) =>
    tookTooLong(f)
      ? slowText(f)
      : {
          title: named(f, m.error_video_damaged, m.error_video_damaged_named),
          body: byReason(f.text('reason'), damages, m.error_video_damaged_body),
        },
  'no-face-in-video': noFace,
  'several-people': ofFile(m.error_several_people, m.error_several_people_named, m.error_several_people_body),
  'people-unfinished': () => ({ title: m.error_people_unfinished(), body: m.error_people_unfinished_body() }),
  'person-unknown': (f) => ({
    title: filled(m.error_person_unknown, m.error_person_unknown_named, { person: f.text('person') }),
    body: filled(m.error_person_unknown_body, m.error_person_unknown_people, { people: f.text('people') }),
  }),
  'range-invalid': because(m.error_range_invalid, rangeProblems, m.error_range_invalid_body),
  'plan-invalid': (f) => ({
    title: named(f, m.error_plan_invalid, m.error_plan_invalid_named),
    body: filled(m.error_plan_invalid_body, m.error_plan_invalid_body_named, { problems: f.text('problems') }),
  }),
  'address-invalid': () => ({ title: m.error_address_invalid(), body: m.error_address_invalid_body() }),
  'address-silent': (f) => ({ title: m.error_address_silent(), body: silentAddress(f) }),
  'address-refused': (f) => ({
    title: m.error_address_refused(),
    body: filled(m.error_address_refused_body, m.error_address_refused_body_status, {
      ...{ host: f.host, status: f.text('status') },
    }),
  }),
  'address-not-video': (f) => ({
    title: m.error_address_not_video(),
    body: filled(m.error_address_not_video_body, m.error_address_not_video_body_host, { host: f.host }),
  }),
}
