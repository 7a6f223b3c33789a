/**
 * @file The only place that turns a Verification into words: for the studio, for its report and for `mien verify`. Texts
 * from the credentials must be cut and cleaned before (src/main/provenance/verify-file.ts).
 */
import type { Verification } from '../files/verification.ts'
import { formatClock, formatCount, formatDate, formatFacts } from './format.ts'
import { m } from './paraglide/messages.js'

/** A line with its details; `ingredient` is the index of the ingredient that it is about. */
export interface FactLine {
  text: string
  details: string[]
  ingredient?: number
}
export interface Fact {
  label: string
  lines: FactLine[]
}

export interface VerificationText {
  /** `good` only for signers whose certificate is on this computer: anyone can sign as somebody else. */
  tone: 'good' | 'bad' | 'neutral'
  title: string
  sentence: string
  /** What the credentials say; empty if they can't be relied on. */
  facts: Fact[]
  /** What isn't as it was signed, and what still is; empty if all is, or there is no telling. */
  damage: Fact[]
  /** Codes of C2PA and hashes. */
  details: { label: string; codes: string[] }[]
}

type Words = Pick<VerificationText, 'tone' | 'title' | 'sentence'>

const words = (tone: Words['tone'], title: string, sentence: string): Words => ({ tone, title, sentence })

/** Keeps a text from a foreign file from turning the words around it, and lets these keep their direction. */
const isolated = (name: string): string =>
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name

const pictureTypes: readonly (string | null)[] = [
  ...['JPEG', 'PNG', 'WebP', 'GIF', 'AVIF', 'HEIC', 'TIFF', 'SVG', 'JPEG XL', 'BMP'],
]
const isPicture = ({ file }: Verification): boolean => pictureTypes.includes(file.type)

function unchangedWords(signer: Verification['signer']): Words {
  if (signer?.kind === 'this-copy') return words('good', m.verdict_this_copy(), m.verdict_this_copy_body())
  if (signer?.kind === 'other-copy') return words('neutral', m.verdict_other_copy(), m.verdict_other_copy_body())
  const name = isolated(signer?.name ?? '')
  if (signer?.kind === 'organisation')
    return words('good', m.verdict_organisation(), m.verdict_organisation_body({ name }))
  return words('neutral', m.verdict_other_signer(), m.verdict_other_signer_body({ name }))
}

const verdictWords: Record<Verification['verdict'], (verification: Verification) => Words> = {
  unchanged: ({ signer }) => unchangedWords(signer),
  changed: (verification) => {
    const body = isPicture(verification) ? m.verdict_changed_body_picture() : m.verdict_changed_body()
    return words('bad', m.verdict_changed(), body)
  },
  forged: () => words('bad', m.verdict_forged(), m.verdict_forged_body()),
  broken: () => words('bad', m.verdict_broken(), m.verdict_broken_body()),
  stripped: () => words('neutral', m.verdict_stripped(), m.verdict_stripped_body()),
  none: () => words('neutral', m.verdict_none(), m.verdict_none_body()),
  unsupported: () => words('neutral', m.verdict_unsupported(), m.verdict_unsupported_body()),
}

const actionWords: Readonly<Record<string, () => string>> = {
  'c2pa.created': m.action_created,
  'c2pa.opened': m.action_opened,
  'c2pa.edited': m.action_edited,
  'c2pa.edited.metadata': m.action_edited,
  'c2pa.converted': m.action_converted,
  'c2pa.repackaged': m.action_converted,
  'c2pa.transcoded': m.action_converted,
  'c2pa.cropped': m.action_cropped,
  'c2pa.trimmed': m.action_trimmed,
  'c2pa.resized': m.action_resized,
  'c2pa.placed': m.action_placed,
  'c2pa.color_adjustments': m.action_colours,
  'c2pa.adjustedColor': m.action_colours,
  'c2pa.filtered': m.action_filtered,
  'c2pa.published': m.action_published,
}

/** The last parts of https://cv.iptc.org/newscodes/digitalsourcetype/, of C2PA's own ones too. */
const sourceWords: Readonly<Record<string, () => string>> = {
  trainedAlgorithmicMedia: m.source_ai,
  compositeWithTrainedAlgorithmicMedia: m.source_partly_ai,
  compositeSynthetic: m.source_composite,
  compositeCapture: m.source_composite,
  composite: m.source_composite,
  digitalCapture: m.source_camera,
  computationalCapture: m.source_camera,
  screenCapture: m.source_screen,
  algorithmicMedia: m.source_program,
}
const sourceText = (type: string | null): string[] => {
  const text = sourceWords[type ?? '']?.()
  return text === undefined ? [] : [text]
}

/** More lines of one fact are left out. */
const maxLines = 8

function doneLines(verification: Verification): FactLine[] {
  const { swap, actions } = verification
  if (swap) {
    const { frames, swappedFrames } = swap
    const byAi = actions.some(({ digitalSourceType }) => /trained/i.test(digitalSourceType ?? ''))
    const details = byAi ? [m.source_partly_ai()] : []
    if (frames !== null && swappedFrames !== null) {
      details.unshift(m.person_frames({ swapped: formatCount(swappedFrames), frames: formatCount(frames) }))
    }
    if (swap.made === 'fetched') {
      details.push(
        swap.service === null ? m.done_fetched_unnamed() : m.done_fetched({ service: isolated(swap.service) }),
      )
    }
    const text = isPicture(verification) ? m.done_swapped_picture() : m.done_swapped_video()
    return [{ text, details }]
  }
  return actions.map(({ action, description, digitalSourceType }) => ({
    text: actionWords[action]?.() ?? m.quoted({ text: isolated(action) }),
    details: [
      ...(description === null ? [] : [m.quoted({ text: isolated(description) })]),
      ...sourceText(digitalSourceType),
    ],
  }))
}

const kindWords = {
  video: m.ingredient_video,
  picture: m.ingredient_picture,
  face: m.ingredient_face,
  other: m.ingredient_other,
}

const ingredientName = ({ name, kind }: Pick<Verification['ingredients'][number], 'name' | 'kind'>): string =>
  name === null ? kindWords[kind]() : isolated(name)

function credentialsText({ credentials, signedBy }: Verification['ingredients'][number]): string[] {
  if (credentials === null) return []
  if (credentials === 'changed') return [m.ingredient_changed()]
  if (credentials === 'broken') return [m.ingredient_broken()]
  const by = signedBy === null ? [] : [m.ingredient_unchanged_by({ name: isolated(signedBy) })]
  return [m.ingredient_unchanged(), ...by]
}

function programLines({ madeWith, swap }: Verification): FactLine[] {
  if (!madeWith) return []
  const { name, version, system } = madeWith
  const program = isolated(version === null ? name : `${name} ${version}`)
  const method =
    swap === null || swap.method === null ? [] : [swap.method === 'built-in' ? m.built_in() : isolated(swap.method)]
  const likeness = swap?.likeness ?? null
  const facts = [...method, ...(likeness === null ? [] : [m.made_likeness({ value: m.percent({ value: likeness }) })])]
  return [
    {
      text: system === null ? program : m.made_on({ program, system: isolated(system) }),
      details: facts.length === 0 ? [] : [formatFacts(facts)],
    },
  ]
}

function signerText({ kind, name, keyId }: NonNullable<Verification['signer']>): string {
  const key = keyId ?? name
  if (kind === 'this-copy') return m.signed_this_copy({ key })
  return kind === 'other-copy' ? m.signed_other_copy({ key }) : m.signed_other({ name: isolated(name) })
}

function signedLines({ signer, signedAt }: Verification): FactLine[] {
  if (!signer) return []
  const at = Date.parse(signedAt ?? '')
  const text = Number.isNaN(at) ? m.signed_no_time() : m.signed_at({ date: formatDate(at), time: formatClock(at) })
  return [{ text, details: [signerText(signer), ...(signer.isExpired ? [m.signed_expired()] : [])] }]
}

function shortened(lines: readonly FactLine[]): FactLine[] {
  const left = lines.length - maxLines
  const shown = lines.slice(0, maxLines)
  return left > 0 ? [...shown, { text: m.and_more({ count: formatCount(left) }), details: [] }] : shown
}

function factsOf(verification: Verification): Fact[] {
  const from = verification.ingredients
    .map((each, ingredient) => ({ each, ingredient }))
    .toSorted((a, b) => Number(a.each.role !== 'parent') - Number(b.each.role !== 'parent'))
    .map(({ each, ingredient }) => ({
      text: ingredientName(each),
      details: credentialsText(each),
      ingredient,
    }))
  return [
    { label: m.fact_done(), lines: shortened(doneLines(verification)) },
    { label: m.fact_from(), lines: shortened(from) },
    { label: m.fact_with(), lines: programLines(verification) },
    { label: m.fact_signed(), lines: signedLines(verification) },
  ].filter(({ lines }) => lines.length > 0)
}

type Group = 'media' | 'credentials' | 'certificate' | 'ingredient'
const groups: readonly Group[] = ['media', 'credentials', 'certificate', 'ingredient']

/** What a code of C2PA is about. */
function groupOf(code: string): Group {
  if (/^assertion\.(?:dataHash|bmffHash|boxesHash|boxHash|collectionHash|multiAssetHash)\./.test(code)) return 'media'
  if (code.startsWith('ingredient.')) return 'ingredient'
  return /^(?:signingCredential|timeStamp|timeOfSigning)\./.test(code) ? 'certificate' : 'credentials'
}

function groupWord(group: Group, verification: Verification): string {
  if (group === 'media') return isPicture(verification) ? m.problem_picture() : m.problem_media()
  if (group === 'ingredient') return m.problem_ingredient()
  return group === 'certificate' ? m.problem_certificate() : m.problem_credentials()
}

function damageOf(verification: Verification): Fact[] {
  const { verdict, problems } = verification
  if (verdict !== 'changed' && verdict !== 'forged') return []
  const wrong = new Set([verdict === 'changed' ? 'media' : 'credentials', ...problems.map(groupOf)])
  const lines = groups
    .filter((group) => wrong.has(group))
    .map((group) => ({
      text: groupWord(group, verification),
      details: group === 'media' ? [m.problem_media_how()] : [],
    }))
  const still = verdict === 'changed' && !wrong.has('credentials')
  return [
    { label: m.fact_not_as_signed(), lines },
    ...(still ? [{ label: m.fact_as_signed(), lines: [{ text: m.problem_credentials(), details: [] }] }] : []),
  ]
}

function detailsOf(verification: Verification): VerificationText['details'] {
  const { problems, ingredients } = verification
  const found = groups.map((group) => ({
    label: groupWord(group, verification),
    codes: problems.filter((code) => groupOf(code) === group),
  }))
  const hashes = ingredients.map(({ name, kind, sha256 }) => ({
    label: ingredientName({ name, kind }),
    codes: sha256 === null ? [] : [`SHA-256 ${sha256}`],
  }))
  return [...found, ...hashes].filter(({ codes }) => codes.length > 0)
}

export function verificationText(verification: Verification): VerificationText {
  const isReliable = verification.verdict === 'unchanged' || verification.verdict === 'changed'
  return {
    ...verdictWords[verification.verdict](verification),
    facts: isReliable ? factsOf(verification) : [],
    damage: damageOf(verification),
    details: detailsOf(verification),
  }
}

/** The words as lines of plain text, indented below the title. */
export function verificationLines(text: VerificationText): string[] {
  const facts = [...text.facts, ...text.damage].flatMap(({ label, lines }) => [
    `  ${label}`,
    ...lines.flatMap((line) => [`    ${line.text}`, ...line.details.map((detail) => `      ${detail}`)]),
  ])
  return [`  ${text.sentence}`, ...facts]
}

/** What "Copy the report" copies. `facts`: length and size of the file. */
export function verificationReport(verification: Verification, facts: string): string {
  const text = verificationText(verification)
  const details = text.details.flatMap(({ label, codes }) => [`  ${label}`, ...codes.map((code) => `    ${code}`)])
  return [
    ...[verification.file.name, facts, '', text.title, ...verificationLines(text)],
    ...(details.length === 0 ? [] : ['', m.details(), ...details]),
    ...['', m.verify_note(), `  ${m.verify_note_body()}`, ''],
  ].join('\n')
}
