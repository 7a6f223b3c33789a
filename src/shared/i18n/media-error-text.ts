/** @file Error texts for pictures, videos, files and their addresses. */
import type { addressErrors, choiceErrors, fileErrors, pictureErrors, videoErrors } from '../mien-error.ts'
import { mediaKindOf } from '../files/media-names.ts'
import { named, withText, type ErrorText, type Facts } from './error-facts.ts'
import { formatBytes, formatCodec, formatCount } from './format.ts'
import { m } from './paraglide/messages.js'

type MediaErrorCode = (
  typeof pictureErrors | typeof videoErrors | typeof choiceErrors | typeof fileErrors | typeof addressErrors
)[number]

const rangeProblems: Record<string, () => string> = {
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
      return withText(type, m.error_not_a_video_body, (kind) => m.error_not_a_video_body_kind({ kind }))
    default:
      return m.error_not_a_video_body()
  }
}

/** The engine timed out. The cause is the file or an overloaded computer. */
const tookTooLong = (f: Facts): boolean => f.text('reason') === 'no answer in time'
const slowText = (f: Facts): ErrorText => ({
  title: named(f, m.error_reading_slow, m.error_reading_slow_named),
  body: m.error_reading_slow_body(),
})

function unreadablePicture(f: Facts): ErrorText {
  if (tookTooLong(f)) return slowText(f)
  const kind = f.text('kind')
  switch (kind) {
    case null:
      return {
        title: named(f, m.error_picture_unreadable, m.error_picture_unreadable_named),
        body: m.error_picture_unreadable_body(),
      }
    case 'video':
      return {
        title: named(f, m.error_picture_is_video, m.error_picture_is_video_named),
        body: m.error_picture_is_video_body(),
      }
    case 'text':
    case 'sound':
      return {
        title: named(f, m.error_not_a_picture, m.error_not_a_picture_named),
        body: kind === 'text' ? m.error_not_a_picture_body_text() : m.error_not_a_picture_body_sound(),
      }
    case 'cut-off':
      return {
        title: named(f, m.error_picture_cut_off, m.error_picture_cut_off_named),
        body: m.error_picture_cut_off_body(),
      }
    default:
      return {
        title: withText(
          f.name,
          () => m.error_picture_kind({ kind }),
          (name) => m.error_picture_kind_named({ name, kind }),
        ),
        body: kind === 'HEIC' ? m.error_picture_kind_body_heic() : m.error_picture_kind_body({ kind }),
      }
  }
}

function folderBody(f: Facts): string {
  if (f.text('reason') === 'one-file') return m.error_file_is_folder_body_one()
  const [pictures, videos] = [f.number('pictures') ?? 0, f.number('videos') ?? 0]
  if (pictures === 0 && videos === 0) return m.error_file_is_folder_body()
  return m.error_file_is_folder_body_counts({ pictures: formatCount(pictures), videos: formatCount(videos) })
}

function coveredBody(part: string | null): string {
  if (part === 'eyes') return m.error_face_covered_body_eyes()
  if (part === 'unsure') return m.error_face_covered_body_unsure()
  return part === 'mouth' ? m.error_face_covered_body_mouth() : m.error_face_covered_body()
}

function unsupportedCodec(f: Facts): ErrorText {
  const codec = f.text('codec')
  switch (f.text('reason')) {
    case 'container': {
      const kind = f.text('container')
      if (kind === null) break
      return {
        title: withText(
          f.name,
          () => m.error_container({ kind }),
          (name) => m.error_container_named({ name, kind }),
        ),
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
  }
  if (codec === null) return { title: m.error_codec_unsupported(), body: m.error_codec_unsupported_body() }
  const name = { codec: formatCodec(codec) }
  return { title: m.error_codec_unsupported_codec(name), body: m.error_codec_unsupported_codec_body(name) }
}

function damagedBody(reason: string | null): string {
  switch (reason) {
    case 'cut off':
      return m.error_video_damaged_body_cut_off()
    case 'no tracks':
    case 'no frames':
      return m.error_video_damaged_body_empty()
    case 'no readable frame':
    case 'no frame could be read':
      return m.error_video_damaged_body_unreadable()
    default:
      return m.error_video_damaged_body()
  }
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
  'picture-too-large': (f) => {
    const [megapixels, limit] = [f.text('megapixels'), f.text('limit')]
    return {
      title: named(f, m.error_picture_too_large, m.error_picture_too_large_named),
      body:
        megapixels === null || limit === null
          ? m.error_picture_too_large_body()
          : m.error_picture_too_large_body_size({ megapixels, limit }),
    }
  },
  'no-face-in-picture': () => ({ title: m.error_no_face_in_picture(), body: m.error_no_face_in_picture_body() }),
  'face-too-small': (f) => ({
    title: m.error_face_too_small(),
    body: withText(f.text('pixels'), m.error_face_too_small_body, (pixels) =>
      m.error_face_too_small_body_pixels({ pixels }),
    ),
  }),
  'face-turned-away': (f) => ({
    title: m.error_face_turned_away(),
    body: withText(f.text('degrees'), m.error_face_turned_away_body, (degrees) =>
      m.error_face_turned_away_body_degrees({ degrees }),
    ),
  }),
  'face-covered': (f) => ({
    title: named(f, m.error_face_covered, m.error_face_covered_named),
    body: coveredBody(f.text('part')),
  }),
  'picture-other-person': (f) => ({
    title: named(f, m.error_picture_other_person, m.error_picture_other_person_named),
    body: m.error_picture_other_person_body(),
  }),
  'not-a-video': (f) => ({ title: named(f, m.error_not_a_video, m.error_not_a_video_named), body: notAVideo(f) }),
  'file-empty': (f) => ({
    title: named(f, m.error_file_empty, m.error_file_empty_named),
    body: m.error_file_empty_body(),
  }),
  'file-missing': (f) => ({
    title: named(f, m.error_file_missing, m.error_file_missing_named),
    body: m.error_file_missing_body(),
  }),
  'file-is-folder': (f) => ({
    title: named(f, m.error_file_is_folder, m.error_file_is_folder_named),
    body: folderBody(f),
  }),
  'file-unreadable': (f) => ({
    title: named(f, m.error_file_unreadable, m.error_file_unreadable_named),
    body: m.error_file_unreadable_body(),
  }),
  'file-unreachable': (f) => ({
    title: named(f, m.error_file_unreachable, m.error_file_unreachable_named),
    body: m.error_file_unreachable_body(),
  }),
  'file-changed': (f) => ({
    title: named(f, m.error_file_changed, m.error_file_changed_named),
    body: m.error_file_changed_body(),
  }),
  'no-video-track': (f) => ({
    title: named(f, m.error_no_video_track, m.error_no_video_track_named),
    body: m.error_no_video_track_body(),
  }),
  'codec-unsupported': unsupportedCodec,
  'video-damaged': (f) =>
    tookTooLong(f)
      ? slowText(f)
      : {
          title: named(f, m.error_video_damaged, m.error_video_damaged_named),
          body: damagedBody(f.text('reason')),
        },
  'no-face-in-video': (f) =>
    f.number('parts') === null
      ? {
          title: f.text('kind') === 'picture' ? m.error_no_face_in_picture() : m.error_no_face_in_video(),
          body: m.error_no_face_in_video_body(),
        }
      : { title: m.error_no_face_in_part(), body: m.error_no_face_in_part_body() },
  'people-unfinished': () => ({ title: m.error_people_unfinished(), body: m.error_people_unfinished_body() }),
  'person-unknown': (f) => ({
    title: withText(f.text('person'), m.error_person_unknown, (person) => m.error_person_unknown_named({ person })),
    body: withText(f.text('people'), m.error_person_unknown_body, (people) =>
      m.error_person_unknown_people({ people }),
    ),
  }),
  'range-invalid': (f) => ({
    title: m.error_range_invalid(),
    body: rangeProblems[f.text('reason') ?? '']?.() ?? m.error_range_invalid_body(),
  }),
  'plan-invalid': (f) => ({
    title: named(f, m.error_plan_invalid, m.error_plan_invalid_named),
    body: withText(f.text('problems'), m.error_plan_invalid_body, (problems) =>
      m.error_plan_invalid_body_named({ problems }),
    ),
  }),
  'address-invalid': () => ({ title: m.error_address_invalid(), body: m.error_address_invalid_body() }),
  'address-silent': (f) => ({ title: m.error_address_silent(), body: silentAddress(f) }),
  'address-refused': (f) => {
    const host = f.host
    const status = f.text('status')
    return {
      title: m.error_address_refused(),
      body:
        host === null || status === null
          ? m.error_address_refused_body()
          : m.error_address_refused_body_status({ host, status }),
    }
  },
  'address-not-video': (f) => ({
    title: m.error_address_not_video(),
    body: withText(f.host, m.error_address_not_video_body, (host) => m.error_address_not_video_body_host({ host })),
  }),
}
