/**
 * @file The one place where an error becomes words: what happened, why, and what to do, in that order.
 * Used by the studio, the command line and the embedded service. Every text reads well without its details.
 */
import type { ErrorBody, ErrorCode, ErrorDetails } from '../errors.ts'
import { formatBytes, formatCodec, formatCount, formatDate } from './format.ts'
import { m } from './paraglide/messages.js'

export interface ErrorText {
  /** What happened, without a full stop. */
  title: string
  /** Why, and what to do. Whole sentences. */
  body: string
}

/** Details as the sentences need them: text that is there and not blank, numbers that are finite. */
class Facts {
  readonly #details: ErrorDetails
  constructor(details: ErrorDetails) {
    this.#details = details
  }
  text(key: string): string | null {
    const value = this.#details[key]
    if (typeof value === 'number' && Number.isFinite(value)) return formatCount(value)
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  }
  number(key: string): number | null {
    const value = this.#details[key]
    return typeof value === 'number' && Number.isFinite(value) ? value : null
  }
  /** The file's name. */
  get name(): string | null {
    return this.text('name')
  }
  get host(): string | null {
    return this.text('host')
  }
  /** The day of an ISO date. */
  get date(): string | null {
    const at = Date.parse(this.text('date') ?? '')
    return Number.isNaN(at) ? null : formatDate(at)
  }
  get seconds(): string | null {
    return this.text('seconds')
  }
  get message(): string | null {
    const message = this.text('message') ?? this.text('reason')
    return message === null ? null : message.length > 200 ? `${message.slice(0, 200)}…` : message.replace(/\.$/, '')
  }
  /** The service's name; "The service" begins a sentence wherever it is used. */
  get service(): string {
    return this.text('service') ?? m.the_service()
  }
  get folder(): string | null {
    return this.text('folder') ?? this.text('folderName')
  }
}

const uploadRefusals: Record<string, () => string> = {
  credentials: m.error_upload_refused_credentials,
  bucket: m.error_upload_refused_bucket,
  region: m.error_upload_refused_region,
  clock: m.error_upload_refused_clock,
  unreadable: m.error_upload_refused_unreadable,
}

const named = (f: Facts, plain: () => string, withName: (inputs: { name: string }) => string): string =>
  f.name === null ? plain() : withName({ name: f.name })

function diskFull(f: Facts): string {
  const need = f.number('needBytes')
  const free = f.number('freeBytes')
  // Room that was made meanwhile would make the sentence contradict itself.
  if (need === null || free === null || need <= free) return m.error_disk_full_body()
  const sizes = { need: formatBytes(need), free: formatBytes(free) }
  const folder = f.folder
  return folder === null ? m.error_disk_full_body_sizes(sizes) : m.error_disk_full_body_folder({ ...sizes, folder })
}

function notAVideo(f: Facts): string {
  const found = f.text('found') ?? f.text('kind')
  if (found === 'text') return m.error_not_a_video_body_text()
  if (found === 'picture' || found === 'image') return m.error_not_a_video_body_picture()
  return m.error_not_a_video_body()
}

/** The engine was silent for so long that it was stopped: the file's fault, or that of a computer with too much to do. */
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
        body: m.error_picture_kind_body({ kind }),
      }
  }
}

function coveredBody(part: string | null): string {
  if (part === 'eyes') return m.error_face_covered_body_eyes()
  return part === 'mouth' ? m.error_face_covered_body_mouth() : m.error_face_covered_body()
}

function unsupportedCodec(f: Facts): ErrorText {
  const codec = f.text('codec')
  switch (f.text('reason')) {
    case 'range':
      return { title: m.error_codec_range({ codec: codec ?? 'HDR' }), body: m.error_codec_range_body() }
    case 'size': {
      const [width, height] = [String(f.number('width') ?? ''), String(f.number('height') ?? '')]
      return { title: m.error_codec_size({ width, height }), body: m.error_codec_size_body() }
    }
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

const texts: Record<ErrorCode, (f: Facts) => ErrorText> = {
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
  'face-covered': (f) => ({ title: m.error_face_covered(), body: coveredBody(f.text('part')) }),
  'not-a-video': (f) => ({ title: named(f, m.error_not_a_video, m.error_not_a_video_named), body: notAVideo(f) }),
  'file-empty': (f) => ({
    title: named(f, m.error_file_empty, m.error_file_empty_named),
    body: m.error_file_empty_body(),
  }),
  'file-missing': (f) => ({
    title: named(f, m.error_file_missing, m.error_file_missing_named),
    body: m.error_file_missing_body(),
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
  'no-face-in-video': () => ({ title: m.error_no_face_in_video(), body: m.error_no_face_in_video_body() }),
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
  'disk-full': (f) => ({ title: m.error_disk_full(), body: diskFull(f) }),
  'folder-missing': (f) => ({
    title: withText(f.folder, m.error_folder_missing, (folder) => m.error_folder_missing_named({ folder })),
    body: m.error_folder_missing_body(),
  }),
  'folder-read-only': (f) => ({
    title: withText(f.folder, m.error_folder_read_only, (folder) => m.error_folder_read_only_named({ folder })),
    body: m.error_folder_read_only_body(),
  }),
  'key-missing': (f) => ({ title: m.error_key_missing({ service: f.service }), body: m.error_key_missing_body() }),
  'key-refused': (f) => {
    const { service } = f
    return {
      title: withText(
        f.text('lastFour'),
        () => m.error_key_refused({ service }),
        (lastFour) => m.error_key_refused_four({ service, lastFour }),
      ),
      body: m.error_key_refused_body(),
    }
  },
  'no-credit': (f) => ({ title: m.error_no_credit({ service: f.service }), body: m.error_no_credit_body() }),
  'request-refused': (f) => ({
    title: m.error_request_refused({ service: f.service }),
    body: withText(f.message, m.error_request_refused_body, (message) =>
      m.error_request_refused_body_said({ message }),
    ),
  }),
  'too-large': (f) => ({ title: m.error_too_large({ service: f.service }), body: m.error_too_large_body() }),
  'rate-limited': (f) => ({
    title: m.error_rate_limited({ service: f.service }),
    body: withText(f.seconds, m.error_rate_limited_body, (seconds) => m.error_rate_limited_body_seconds({ seconds })),
  }),
  'service-trouble': (f) => ({
    title: m.error_service_trouble({ service: f.service }),
    body: withText(
      f.message,
      () =>
        withText(f.text('status'), m.error_service_trouble_body, (status) =>
          m.error_service_trouble_body_status({ status }),
        ),
      (message) => m.error_service_trouble_body_said({ message }),
    ),
  }),
  'service-unreachable': (f) => ({
    title: m.error_service_unreachable({ service: f.service }),
    body: withText(f.host, m.error_service_unreachable_body, (host) => m.error_service_unreachable_body_host({ host })),
  }),
  'service-timeout': (f) => ({
    title: m.error_service_timeout({ service: f.service }),
    body: withText(f.seconds, m.error_service_timeout_body, (seconds) =>
      m.error_service_timeout_body_seconds({ seconds }),
    ),
  }),
  'not-a-service': (f) => ({
    title: m.error_not_a_service(),
    body: withText(
      f.message,
      () => withText(f.host, m.error_not_a_service_body, (host) => m.error_not_a_service_body_host({ host })),
      (message) => m.error_not_a_service_body_said({ message }),
    ),
  }),
  'needs-upload-target': (f) => ({
    title: m.error_needs_upload_target({ service: f.service }),
    body: m.error_needs_upload_target_body(),
  }),
  'upload-refused': (f) => ({
    title: f.host === null ? m.error_upload_refused_plain() : m.error_upload_refused({ host: f.host }),
    body: uploadRefusals[f.text('reason') ?? '']?.() ?? m.error_upload_refused_other(),
  }),
  'task-failed': (f) => ({
    title: m.error_task_failed({ service: f.service }),
    body: withText(f.message, m.error_task_failed_body, (message) => m.error_task_failed_body_said({ message })),
  }),
  'result-unreadable': (f) => ({
    title: m.error_result_unreadable(),
    body: m.error_result_unreadable_body({ service: f.text('service') ?? m.the_service().toLowerCase() }),
  }),
  'no-keychain': () => ({ title: m.error_no_keychain(), body: m.error_no_keychain_body() }),
  'engine-crashed': () => ({ title: m.error_engine_crashed(), body: m.error_engine_crashed_body() }),
  'engine-failed': (f) => ({
    title: m.error_engine_failed(),
    body: withText(f.message, m.error_engine_failed_body, (message) => m.error_engine_failed_body_said({ message })),
  }),
  cancelled: () => ({ title: m.error_cancelled(), body: m.error_cancelled_body() }),
  'update-unreachable': () => ({ title: m.error_update_unreachable(), body: m.error_update_unreachable_body() }),
  'update-unsigned': () => ({ title: m.error_update_unsigned(), body: m.error_update_unsigned_body() }),
  'update-signature': () => ({ title: m.error_update_signature(), body: m.error_update_signature_body() }),
  'update-mismatch': () => ({ title: m.error_update_mismatch(), body: m.error_update_mismatch_body() }),
  'update-expired': (f) => ({
    title: m.error_update_expired(),
    body: withText(f.date, m.error_update_expired_body, (date) => m.error_update_expired_body_date({ date })),
  }),
  'update-clock': () => ({ title: m.error_update_clock(), body: m.error_update_clock_body() }),
  'update-older': (f) => {
    const version = f.text('version')
    const current = f.text('current')
    return {
      title: m.error_update_older(),
      body:
        version === null || current === null
          ? m.error_update_older_body()
          : m.error_update_older_body_versions({ version, current }),
    }
  },
  'update-foreign': () => ({ title: m.error_update_foreign(), body: m.error_update_foreign_body() }),
  'update-damaged': () => ({ title: m.error_update_damaged(), body: m.error_update_damaged_body() }),
  'update-failed': (f) => ({
    title: m.error_update_failed(),
    body: withText(f.message, m.error_update_failed_body, (message) => m.error_update_failed_body_said({ message })),
  }),
  'proxy-password': () => ({ title: m.error_proxy_password(), body: m.error_proxy_password_body() }),
  'data-newer': (f) => ({
    title: newerData(f.text('data')),
    body: m.error_data_newer_body(),
  }),
  'import-foreign': (f) => ({
    title: named(f, m.error_import_foreign, m.error_import_foreign_named),
    body: m.error_import_foreign_body(),
  }),
  'bad-argument': (f) => ({
    title: m.error_bad_argument(),
    body: withText(f.message, m.error_bad_argument_body, (message) => m.error_bad_argument_body_said({ message })),
  }),
  forbidden: () => ({ title: m.error_forbidden(), body: m.error_forbidden_body() }),
  'not-found': (f) => ({
    title: named(f, m.error_not_found, m.error_not_found_named),
    body: m.error_not_found_body(),
  }),
  usage: (f) => ({
    title: m.error_usage(),
    body: withText(f.message, m.error_usage_body, (message) => m.error_usage_body_said({ message })),
  }),
  internal: (f) => ({
    title: m.error_internal(),
    body: withText(f.message, m.error_internal_body, (message) => m.error_internal_body_said({ message })),
  }),
}

function newerData(data: string | null): string {
  if (data === 'library') return m.error_data_newer_library()
  if (data === 'settings') return m.error_data_newer_settings()
  return data === 'service' ? m.error_data_newer_service() : m.error_data_newer()
}

function withText(value: string | null, without: () => string, withIt: (value: string) => string): string {
  return value === null ? without() : withIt(value)
}

function silentAddress(f: Facts): string {
  const { host, seconds } = f
  if (host === null) return m.error_address_silent_body()
  return seconds === null
    ? m.error_address_silent_body_host({ host })
    : m.error_address_silent_body_seconds({ host, seconds })
}

/** An error as a title and a body. */
export const errorText = (error: ErrorBody): ErrorText => texts[error.code](new Facts(error.details))

/** The same as one line, for a terminal, a log or `problem+json`. */
export function errorSentence(error: ErrorBody): string {
  const { title, body } = errorText(error)
  return `${title}. ${body}`
}
