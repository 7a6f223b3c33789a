/** @file What is exported of consents: as JSON, and as the page that is printed to PDF. */
import type { Release } from '@shared/tasks/consent.ts'
import { formatBytes, formatClock, formatDate } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { sha256Of } from '../../machine/disk/files.ts'
import type { Consent, ConsentStore, MadeSwap } from '../consent-store.ts'
import type { Consents } from './consents.ts'

/** `copy`: whether the copy of the release still has this hash. */
interface RecordedRelease extends Release {
  copy: 'unchanged' | 'changed' | 'missing'
}

/** All consents for a face, the first one first, and the swaps in the library with it. */
export interface FaceRecord {
  face: string
  name: string
  consents: (Omit<Consent, 'face' | 'name' | 'release'> & { release: RecordedRelease | null })[]
  swaps: MadeSwap[]
}

/** Reads the copies of the releases, to compare their hashes. */
export async function faceRecord(
  face: string,
  store: Pick<ConsentStore, 'history' | 'made'>,
  consents: Pick<Consents, 'pathOf'>,
): Promise<FaceRecord> {
  const history = store.history(face)
  const all = []
  for (const { face: _face, name: _name, release, ...consent } of history)
    all.push({ ...consent, release: release && { ...release, copy: await copyOf(release, consents.pathOf(release)) } })
  return { face, name: history.at(-1)?.name ?? '', consents: all, swaps: store.made(face) }
}

async function copyOf({ sha256 }: Release, path: string): Promise<RecordedRelease['copy']> {
  const found = await sha256Of(path).catch(() => null)
  if (found === null) return 'missing'
  return found === sha256 ? 'unchanged' : 'changed'
}

const time = (ms: number): string => new Date(ms).toISOString()

/** A record as it is written to JSON: times are RFC 3339. */
export const recordJson = ({ face, name, consents, swaps }: FaceRecord) => ({
  picture: { sha256: face, name },
  consents: consents.map(({ id, at, by, purpose, note, release, withdrawnAt }) => ({
    ...{ id, givenBy: by, givenAt: time(at), purpose, note, release },
    withdrawnAt: withdrawnAt === null ? null : time(withdrawnAt),
  })),
  swaps: swaps.map(({ addedAt, ...swap }) => ({ ...swap, addedAt: time(addedAt) })),
})

export const exportJson = (records: readonly FaceRecord[], now: number): string =>
  `${JSON.stringify({ app: 'mien', kind: 'consents', format: 1, exportedAt: time(now), faces: records.map(recordJson) }, null, 2)}\n`

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => escapes[letter] ?? '')

const when = (ms: number): string => m.consent_when({ day: formatDate(ms), time: formatClock(ms) })

const style = `
  @page { margin: 18mm 16mm; }
  body { margin: 0; color: #111; font: 11px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
  h1 { margin: 0 0 2px; font-size: 20px; }
  h2 { margin: 0 0 6px; font-size: 14px; }
  p { margin: 0; }
  .quiet { color: #555; }
  article { display: grid; grid-template-columns: 88px 1fr; gap: 16px; padding: 16px 0; border-top: 1px solid #ccc; break-inside: avoid-page; }
  header { padding-bottom: 14px; }
  img, .none { width: 88px; height: 88px; border-radius: 8px; background: #eee; object-fit: cover; }
  dl { display: grid; grid-template-columns: 120px 1fr; gap: 2px 12px; margin: 0 0 10px; }
  dt { color: #555; }
  dd { margin: 0; white-space: pre-wrap; unicode-bidi: plaintext; }
  code { font: 9.5px/1.5 ui-monospace, monospace; }
`

/** HTML of the page. A face's picture is at `<face>.jpg`. @param pictured faces that have a picture */
export function exportHtml(
  records: readonly FaceRecord[],
  { language, now, pictured }: { language: string; now: number; pictured: ReadonlySet<string> },
): string {
  const articles = records.map((record) => articleOf(record, pictured.has(record.face))).join('')
  return `<!doctype html><html lang="${escape(language)}"><head><meta charset="utf-8">
<title>${escape(m.consent_record())}</title><style>${style}</style></head><body>
<header><h1>${escape(m.consent_record())}</h1><p class="quiet">${escape(m.consent_record_made({ when: when(now) }))}</p>
<p class="quiet">${escape(m.consent_record_limit())}</p></header>${articles}</body></html>`
}

function articleOf({ face, name, consents, swaps }: FaceRecord, hasPicture: boolean): string {
  const picture = hasPicture ? `<img src="${face}.jpg" alt="">` : '<div class="none"></div>'
  const files = swaps.map(({ title, addedAt, file }) => [when(addedAt), title, file].filter(Boolean).join(' · '))
  const lists = consents.map((consent) => facts(factsOf(consent))).join('')
  const made: Fact[] = [[m.consent_swaps_label(), files.length === 0 ? m.consent_no_swaps() : files.join('\n')]]
  return `<article>${picture}<div><h2>${escape(name)}</h2>${facts([[m.consent_picture_hash(), face, true]])}${lists}${facts(made)}</div></article>`
}

/** Name, value, and whether it is a hash. */
type Fact = [string, string, boolean?]

const facts = (all: readonly Fact[]): string =>
  `<dl>${all.map(([name, value, isCode]) => `<dt>${escape(name)}</dt><dd>${isCode ? `<code>${escape(value)}</code>` : escape(value)}</dd>`).join('')}</dl>`

function factsOf({ id, at, by, purpose, note, release, withdrawnAt }: FaceRecord['consents'][number]): Fact[] {
  const copies = {
    unchanged: m.release_unchanged,
    changed: m.release_changed,
    missing: m.release_missing,
  }
  const all: Fact[] = [
    [m.consent_by(), by === '' ? m.consent_not_said() : by],
    [m.consent_given(), when(at)],
  ]
  if (purpose !== '') all.push([m.consent_purpose_label(), purpose])
  if (note !== '') all.push([m.note(), note])
  if (release) {
    const { name, sizeBytes, sha256, copy } = release
    all.push([m.consent_release(), `${name} · ${formatBytes(sizeBytes)} · ${copies[copy]()}`])
    all.push([m.consent_release_hash(), sha256, true])
  }
  if (withdrawnAt !== null) all.push([m.consent_withdrawn_label(), when(withdrawnAt)])
  return [...all, [m.consent_id(), id, true]]
}
