/** @file Texts about models that the user adds: errors, licences and missing companions. */
import type { Backend, ModelTimes, ModelTrial } from '../engine/engine.ts'
import type { modelErrors } from '../mien-error.ts'
import type { LicenceId, MissingModel, ModelView } from '../engine/models.ts'
import { byReason, filled, named, type ErrorText, type Facts } from './error-facts.ts'
import { formatCount, formatRate, formatRoughSpan } from './format.ts'
import { m } from './paraglide/messages.js'

const damages = {
  damaged: m.error_model_damaged_body,
  'cut-off': m.error_model_cut_off_body,
  external: m.error_model_external_body,
  opset: m.error_model_opset_body,
  'too-complex': m.error_model_too_complex_body,
  'too-large': m.error_model_too_large_body,
}

function unreadable(f: Facts): string {
  const [reason, kind] = [f.text('reason'), f.text('kind')]
  if (reason !== 'kind' || kind === null) return byReason(reason, damages, m.error_model_unreadable_body)
  return kind === 'text' ? m.error_model_text_body() : m.error_model_kind_body({ kind })
}

const unknown = (f: Facts): string =>
  byReason(
    f.text('reason'),
    {
      family: () => filled(m.error_model_unknown_body, m.error_model_family_body, { families: f.text('families') }),
      mismatch: () => filled(m.error_model_unknown_body, m.error_model_mismatch_body, { family: f.text('family') }),
      names: () => filled(m.error_model_inputs_body, m.error_model_names_body, { tensor: f.text('tensor') }),
      recogniser: m.error_model_recogniser_body,
      inputs: m.error_model_inputs_body,
    },
    () => filled(m.error_model_unknown_body, m.error_model_unknown_body_inputs, { inputs: f.text('inputs') }),
  )

function unusable(f: Facts): string {
  const needs =
    f.text('needs') === 'recogniser' ? m.error_model_needs_recogniser_body : m.error_model_needs_converter_body
  const reasons = { changed: m.error_model_changed_body, licence: m.error_model_licence_body, missing: needs }
  return byReason(f.text('reason'), reasons, m.error_model_gone_body)
}

export const modelErrorTexts: Record<(typeof modelErrors)[number], (f: Facts) => ErrorText> = {
  'model-unreadable': (f) => ({
    title: named(f, m.error_model_unreadable, m.error_model_unreadable_named),
    body: unreadable(f),
  }),
  'model-unknown': (f) => ({ title: named(f, m.error_model_unknown, m.error_model_unknown_named), body: unknown(f) }),
  'model-unusable': (f) => ({
    title: named(f, m.error_model_unusable, m.error_model_unusable_named),
    body: unusable(f),
  }),
  'model-manifest': (f) => ({
    title: named(f, m.error_model_manifest, m.error_model_manifest_named),
    body: filled(m.error_model_manifest_body, m.error_model_manifest_body_said, { message: f.message }),
  }),
  'model-failed': () => ({ title: m.error_model_failed(), body: m.error_model_failed_body() }),
}

/** What a model may be used for, for a list. */
export function licenceText({ id, text }: { id: LicenceId; text: string | null }): string {
  if (id === 'stated' || id === 'unknown') return text ?? m.licence_unknown()
  return licences[id]()
}

const licences: Record<Exclude<LicenceId, 'stated' | 'unknown'>, () => string> = {
  'non-commercial': m.licence_non_commercial,
  research: m.licence_research,
  'apache-vggface2': m.licence_apache_vggface2,
}

/** The time of a run: 138.4 → "138 ms", 4870 → "4.9 s". */
const runTime = (ms: number): string =>
  ms < 1000 ? m.milliseconds_short({ count: formatCount(ms) }) : m.seconds_short({ count: formatRate(ms / 1000) })

/** How fast a model was at its check; null: not checked, or it can't run. */
export function modelSpeedText(check: ModelView['check']): string | null {
  if (!check?.backend || check.runMs === null) return null
  const time = runTime(check.runMs)
  return check.backend === 'webgpu' ? m.model_speed_chip({ time }) : m.model_speed_processor({ time })
}

const places: Record<Backend, () => string> = {
  webgpu: m.on_graphics_chip,
  webnn: m.on_processor_natively,
  wasm: m.on_processor,
}

/** The outcome of a check on a backend. */
export function modelTrialText(backend: Backend, { problem, runMs }: ModelTrial): string {
  const what = places[backend]()
  if (problem === null) return m.model_trial_ok({ what, time: runTime(runMs ?? 0) })
  const problems: Record<typeof problem, () => string> = {
    absent: m.model_problem_absent,
    software: m.model_problem_absent,
    failed: m.model_problem_failed,
    'not-a-number': m.model_problem_wrong,
    grey: m.model_problem_wrong,
    scale: m.model_problem_wrong,
    different: m.model_problem_wrong,
  }
  return m.labelled({ label: what, text: problems[problem]() })
}

/** How long a swap by a model takes; null: it can't run. */
export function modelTimeText({ chip, processor }: ModelTimes): string | null {
  if (processor === null) return chip === null ? null : m.about_chip({ span: formatRoughSpan(chip) })
  const span = formatRoughSpan(processor)
  return chip === null
    ? m.about_processor({ span })
    : m.about_chip_and_processor({ chip: formatRoughSpan(chip), processor: span })
}

/** @param recogniser the one that the model's manifest names, if any */
export function missingText(name: string, missing: MissingModel, recogniser: string | null): string {
  if (missing !== 'recogniser') return m.model_needs_converter({ name, family: missing })
  return recogniser === null ? m.model_needs_recogniser({ name }) : m.model_needs_recogniser_named({ name, recogniser })
}
