/**
 * @file The only place that turns an error into text: what happened, why, and what to do, in that order. Used by the
 * studio, the command line and the embedded service. Every text works without its details.
 */
import type { ErrorBody, ErrorCode } from '../errors.ts'
import { Facts, because, byReason, filled, named, ofFile, ofService, quoting, type ErrorText } from './error-facts.ts'
import { formatBytes, formatCount } from './format.ts'
import { mediaErrorTexts } from './media-error-text.ts'
import { modelErrorTexts } from './model-text.ts'
import { m } from './paraglide/messages.js'
import { maxConsentText } from '../tasks/consent.ts'
import { longestTag, maxTags } from '../tasks/tags.ts'

const uploadRefusals = {
  credentials: m.error_upload_refused_credentials,
  bucket: m.error_upload_refused_bucket,
  region: m.error_upload_refused_region,
  clock: m.error_upload_refused_clock,
  unreadable: m.error_upload_refused_unreadable,
}

const storageRefusals = {
  credentials: m.error_storage_refused_credentials,
  access: m.error_storage_refused_access,
  bucket: m.error_storage_refused_bucket,
  region: m.error_storage_refused_region,
  clock: m.error_upload_refused_clock,
}

function diskFull(f: Facts): string {
  const need = f.number('needBytes')
  const free = f.number('freeBytes')
  // If space was freed in the meantime, the sizes would contradict the sentence.
  if (need === null || free === null || need <= free) return m.error_disk_full_body()
  const sizes = { need: formatBytes(need), free: formatBytes(free) }
  const folder = f.folder
  return folder === null ? m.error_disk_full_body_sizes(sizes) : m.error_disk_full_body_folder({ ...sizes, folder })
}

/** Why a part of a finished swap can't be swapped again. */
function partProblem(f: Facts): string {
  const [reason, name] = [f.text('reason'), f.text('name')]
  if (reason === 'changed' && name !== null) return m.error_part_unsupported_changed({ name })
  return reason === 'frames' ? m.error_part_unsupported_frames() : m.error_part_unsupported_body()
}

/** Why a certificate can't sign. */
const certificateProblems = {
  passphrase: m.error_bad_certificate_passphrase,
  algorithm: m.error_bad_certificate_algorithm,
  'other-key': m.error_bad_certificate_key,
  'self-signed': m.error_bad_certificate_self,
  expired: m.error_bad_certificate_expired,
}

function refusedRelease(f: Facts): string {
  if (f.text('reason') === 'folder') return m.error_release_body_folder()
  const bytes = f.number('maxBytes')
  return bytes === null ? m.error_release_body() : m.error_release_body_large({ limit: formatBytes(bytes) })
}

function quotaReached(f: Facts): string {
  const [limit, used] = [f.number('limit'), f.number('used')]
  if (limit === null) return m.error_rate_limited_body()
  switch (f.text('quota')) {
    case 'swaps':
      return m.error_quota_reached_swaps({ limit: formatCount(limit) })
    case 'minutes':
      return m.error_quota_reached_minutes({ limit: formatCount(limit) })
    case 'bytes':
      return m.error_quota_reached_bytes({
        used: formatBytes(Math.min(used ?? limit, limit)),
        limit: formatBytes(limit),
      })
    default:
      return m.error_rate_limited_body()
  }
}

function unreadableResult(f: Facts): ErrorText {
  const reason = f.text('reason')
  if (reason === 'no-address')
    return { title: m.error_result_missing(), body: m.error_result_missing_body({ service: f.service }) }
  const isPage = reason === 'page' || f.text('type') !== null
  return {
    title: m.error_result_unreadable(),
    body: isPage
      ? m.error_result_page_body({ place: f.host ?? f.service })
      : m.error_result_unreadable_body({ service: f.text('service') ?? m.the_service_inline() }),
  }
}

const pairingProblems = {
  incomplete: m.error_pairing_incomplete,
  newer: m.error_pairing_newer,
  other: m.error_pairing_other,
  address: m.error_pairing_address,
}

const texts: Record<ErrorCode, (f: Facts) => ErrorText> = {
  ...mediaErrorTexts,
  ...modelErrorTexts,
  'consent-withdrawn': ofFile(
    m.error_consent_withdrawn,
    m.error_consent_withdrawn_named,
    m.error_consent_withdrawn_body,
  ),
  'consent-invalid': (f) => ({
    title: m.error_consent_long(),
    body: m.error_consent_long_body({ max: f.text('max') ?? formatCount(maxConsentText.by) }),
  }),
  'release-refused': (f) => ({
    title: named(f, m.error_release, m.error_release_named),
    body: refusedRelease(f),
  }),
  'disk-full': (f) => ({ title: m.error_disk_full(), body: diskFull(f) }),
  'folder-missing': (f) => ({
    title: filled(m.error_folder_missing, m.error_folder_missing_named, { folder: f.folder }),
    body: m.error_folder_missing_body(),
  }),
  'folder-read-only': (f) => ({
    title: filled(m.error_folder_read_only, m.error_folder_read_only_named, { folder: f.folder }),
    body: m.error_folder_read_only_body(),
  }),
  'save-failed': (f) => ({
    title: m.error_save_failed(),
    body: filled(m.error_save_failed_body, m.error_save_failed_body_reason, { reason: f.text('reason') }),
  }),
  'trash-failed': ofFile(m.error_trash_failed, m.error_trash_failed_named, m.error_trash_failed_body),
  'open-failed': ofFile(m.error_open_failed, m.error_open_failed_named, m.error_open_failed_body),
  'key-missing': ofService(m.error_key_missing, m.error_key_missing_body),
  'key-refused': (f) => {
    const { service } = f
    const title = filled(() => m.error_key_refused({ service }), m.error_key_refused_four, {
      ...{ service, lastFour: f.text('lastFour') },
    })
    return { title, body: m.error_key_refused_body() }
  },
  'no-credit': ofService(m.error_no_credit, m.error_no_credit_body),
  'request-refused': (f) => ({
    title: m.error_request_refused({ service: f.service }),
    body: filled(m.error_request_refused_body, m.error_request_refused_body_said, { message: f.message }),
  }),
  'too-large': ofService(m.error_too_large, m.error_too_large_body),
  'rate-limited': (f) => ({
    title: m.error_rate_limited({ service: f.service }),
    body: filled(m.error_rate_limited_body, m.error_rate_limited_body_seconds, { seconds: f.seconds }),
  }),
  'quota-reached': (f) => ({ title: m.error_quota_reached({ service: f.service }), body: quotaReached(f) }),
  'service-trouble': (f) => ({
    title: m.error_service_trouble({ service: f.service }),
    body: filled(
      () => filled(m.error_service_trouble_body, m.error_service_trouble_body_status, { status: f.text('status') }),
      m.error_service_trouble_body_said,
      { message: f.message },
    ),
  }),
  'service-unreachable': (f) => ({
    title: m.error_service_unreachable({ service: f.service }),
    body: filled(
      m.error_service_unreachable_body,
      f.is('isLost') ? m.error_service_unreachable_body_lost : m.error_service_unreachable_body_host,
      { host: f.host },
    ),
  }),
  'service-certificate': (f) => ({
    title: m.error_service_certificate({ service: f.service }),
    body: filled(m.error_service_certificate_body, m.error_service_certificate_body_host, { host: f.host }),
  }),
  'certificate-changed': (f) => ({
    title: filled(m.error_certificate_changed, m.error_certificate_changed_named, { service: f.text('service') }),
    body: m.error_certificate_changed_body(),
  }),
  'create-unclear': (f) => ({
    title: m.error_create_unclear({ service: f.service }),
    body: filled(m.error_create_unclear_body, m.error_create_unclear_body_said, { message: f.text('message') }),
  }),
  'service-timeout': (f) => ({
    title: m.error_service_timeout({ service: f.service }),
    body: filled(m.error_service_timeout_body, m.error_service_timeout_body_seconds, { seconds: f.seconds }),
  }),
  'not-a-service': (f) => ({
    title: m.error_not_a_service(),
    body: filled(
      () => filled(m.error_not_a_service_body, m.error_not_a_service_body_host, { host: f.host }),
      m.error_not_a_service_body_said,
      { message: f.message },
    ),
  }),
  'needs-upload-target': ofService(m.error_needs_upload_target, m.error_needs_upload_target_body),
  'cast-unsupported': ofService(m.error_cast_unsupported, m.error_cast_unsupported_body),
  'range-unsupported': ofService(m.error_range_unsupported, m.error_range_unsupported_body),
  'upload-refused': (f) => ({
    title: f.host === null ? m.error_upload_refused_plain() : m.error_upload_refused({ host: f.host }),
    body: byReason(f.text('reason'), uploadRefusals, m.error_upload_refused_other),
  }),
  'target-unsupported': (f) => ({
    title:
      f.text('kind') === 'animation'
        ? m.error_target_animation({ service: f.service })
        : m.error_target_picture({ service: f.service }),
    body: m.error_target_body(),
  }),
  'task-failed': (f) => ({
    title: m.error_task_failed({ service: f.service }),
    body: filled(m.error_task_failed_body, m.error_task_failed_body_said, { message: f.message }),
  }),
  'result-unreadable': unreadableResult,
  'result-address-invalid': (f) => ({
    title: m.error_result_address(),
    body: m.error_result_address_body({ service: f.service }),
  }),
  'result-unavailable': (f) => {
    const service = f.text('service') ?? m.the_service_inline()
    return {
      title: m.error_result_unavailable(),
      body: filled(() => m.error_result_unavailable_body({ service }), m.error_result_unavailable_body_status, {
        ...{ service, host: f.host, status: f.text('status') },
      }),
    }
  },
  'no-keychain': (f) =>
    f.text('reason') === 'silent'
      ? { title: m.error_keychain_silent(), body: m.error_keychain_silent_body() }
      : { title: m.keychain_missing(), body: m.error_no_keychain_body() },
  'bad-certificate': because(m.error_bad_certificate, certificateProblems, m.error_bad_certificate_unreadable),
  'not-signed': ofFile(m.error_not_signed, m.error_not_signed_named, m.error_not_signed_body),
  'engine-crashed': () => ({ title: m.error_engine_crashed(), body: m.error_engine_crashed_body() }),
  'engine-failed': quoting(m.error_engine_failed, m.error_engine_failed_body, m.error_engine_failed_body_said),
  'part-unsupported': (f) => ({
    title: m.error_part_unsupported(),
    body: partProblem(f),
  }),
  cancelled: () => ({ title: m.error_cancelled(), body: m.error_cancelled_body() }),
  'update-unreachable': () => ({ title: m.error_update_unreachable(), body: m.error_update_unreachable_body() }),
  'update-unsigned': () => ({ title: m.error_update_unsigned(), body: m.error_update_unsigned_body() }),
  'update-signature': () => ({ title: m.error_update_signature(), body: m.error_update_signature_body() }),
  'update-mismatch': () => ({ title: m.error_update_mismatch(), body: m.error_update_mismatch_body() }),
  'update-expired': (f) => ({
    title: m.error_update_expired(),
    body: filled(m.error_update_expired_body, m.error_update_expired_body_date, { date: f.date }),
  }),
  'update-clock': () => ({ title: m.error_update_clock(), body: m.error_update_clock_body() }),
  'update-older': (f) => ({
    title: m.error_update_older(),
    body: filled(m.error_update_older_body, m.error_update_older_body_versions, {
      ...{ version: f.text('version'), current: f.text('current') },
    }),
  }),
  'update-foreign': () => ({ title: m.error_update_foreign(), body: m.error_update_foreign_body() }),
  'update-damaged': () => ({ title: m.error_update_damaged(), body: m.error_update_damaged_body() }),
  'update-failed': quoting(m.error_update_failed, m.error_update_failed_body, m.error_update_failed_body_said),
  'proxy-password': () => ({ title: m.error_proxy_password(), body: m.error_proxy_password_body() }),
  'data-newer': (f) => ({
    title: byReason(f.text('data'), newerData, m.error_data_newer),
    body: m.error_data_newer_body(),
  }),
  'database-unusable': (f) => ({
    title: m.error_database(),
    body: filled(m.error_storage_unreachable_body, m.sentence, { text: f.message }),
  }),
  'engine-start': () => ({ title: m.error_engine_start(), body: m.error_engine_start_body() }),
  'storage-unreachable': (f) => ({
    title: m.error_storage_unreachable(),
    body: filled(m.error_storage_unreachable_body, m.error_storage_unreachable_body_named, {
      place: f.host ?? f.folder,
    }),
  }),
  'storage-refused': because(m.error_storage_refused, storageRefusals, m.error_storage_refused_other),
  'storage-damaged': () => ({ title: m.error_storage_damaged(), body: m.error_storage_damaged_body() }),
  'data-damaged': () => ({ title: m.error_data_damaged(), body: m.error_data_damaged_body() }),
  'import-foreign': ofFile(m.error_import_foreign, m.error_import_foreign_named, m.error_import_foreign_body),
  'tag-invalid': (f) =>
    f.text('reason') === 'long'
      ? { title: m.error_tag_long(), body: m.error_tag_long_body({ max: formatCount(longestTag) }) }
      : { title: m.error_tag_empty(), body: m.error_tag_empty_body() },
  'too-many-tags': () => ({
    title: m.error_too_many_tags(),
    body: m.error_too_many_tags_body({ max: formatCount(maxTags) }),
  }),
  'preset-invalid': (f) => ({
    title: named(f, m.error_preset, m.error_preset_named),
    body: presetProblem(f),
  }),
  'pairing-invalid': because(m.error_pairing, pairingProblems, m.error_pairing_foreign),
  'bad-argument': quoting(m.error_bad_argument, m.error_bad_argument_body, m.error_bad_argument_body_said),
  forbidden: (f) =>
    f.text('reason') === 'open'
      ? { title: m.error_library_open(), body: m.error_library_open_body() }
      : { title: m.error_forbidden(), body: m.error_forbidden_body() },
  'not-found': ofFile(m.error_not_found, m.error_file_missing_named, m.error_not_found_body),
  usage: quoting(m.error_usage, m.error_usage_body, m.error_usage_body_said),
  internal: quoting(m.error_internal, m.error_internal_body, m.error_internal_body_said),
}

function presetProblem(f: Facts): string {
  const [reason, field] = [f.text('reason'), f.text('field')]
  if (reason === 'field' && field !== null) return m.error_preset_field({ field })
  if (reason === 'value' && field !== null) return m.error_preset_value({ field })
  const others = { newer: m.error_preset_newer, large: m.error_preset_large, full: m.error_preset_full }
  return byReason(reason, others, m.error_preset_foreign)
}

const newerData = {
  library: m.error_data_newer_library,
  settings: m.error_data_newer_settings,
  service: m.error_data_newer_service,
}

/** An error as a title and a body. */
export const errorText = (error: ErrorBody): ErrorText => texts[error.code](new Facts(error.details))

/** The error as one line, for a terminal, a log or `problem+json`. */
export const errorSentence = (error: ErrorBody): string => m.title_and_body(errorText(error))
