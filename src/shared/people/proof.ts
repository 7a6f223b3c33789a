/**
 * @file A proof: the parts of a video that are most likely to go wrong, swapped before the whole video. Times are
 * milliseconds in the video.
 */
import type { ErrorBody } from '../mien-error.ts'
import type { Moment, Range, VideoPeople } from './people.ts'

/** Why a part is shown. `clear`: a person is seen well; `any`: nothing is known about it. */
export type ProofKind = Moment['kind'] | 'clear' | 'any'

export interface ProofPart {
  kind: ProofKind
  personId: string | null
  fromMs: number
  toMs: number
}

export interface ProofMoment extends ProofPart {
  /** Media ids of the swapped part and of a frame of it; null until it is swapped. */
  mediaId: string | null
  coverId: string | null
}

export interface ProofState {
  /** Chosen by the studio, so that it ignores events of an earlier proof. */
  id: string
  stage: 'looking' | 'swapping' | 'ready'
  /** 0–1 of all parts. */
  share: number
  /** Ascending. Parts without a face are left out once that is known. */
  moments: ProofMoment[]
  /** It has ended without a result. */
  error?: ErrorBody
}

const partMs = 1500
const maxParts = 3
/** Shares of a stretch of video at which a part is tried: first those that leave room for each other. */
const tries = [0.2, 0.8, 0.5, 0, 1]
/** What another person and another kind are worth, in scores: everybody comes before a second moment of somebody. */
const worth = { person: 2, kind: 0.5 }

interface Span {
  fromMs: number
  toMs: number
}
type Candidate = ProofPart & { score: number }

/**
 * Chooses the parts of a proof: hard moments of everybody who is swapped, of different kinds; then moments in which
 * people are seen for long. Without people, parts spread over the video.
 * @param personIds who is swapped; empty: the largest face, most likely of the most prominent person
 * @returns ascending, within the range and apart
 */
export function chooseParts(
  durationMs: number,
  range: Range | null,
  { people, clips, moments }: Pick<VideoPeople, 'people' | 'clips' | 'moments'>,
  personIds: readonly string[],
): ProofPart[] {
  const video = { fromMs: 0, toMs: durationMs }
  const spans = (range?.parts ?? [video]).flatMap((part) => common(part, video))
  const wanted = personIds.length > 0 ? people.filter(({ id }) => personIds.includes(id)) : people.slice(0, 1)
  const owners = new Map(wanted.flatMap(({ id, clipIds }) => clipIds.map((clipId) => [clipId, id] as const)))
  const seen = clips
    .flatMap((clip) => {
      const personId = owners.get(clip.id)
      if (personId === undefined) return []
      return spans.flatMap((span) => common(clip, span).map((shown) => ({ ...shown, span, clipId: clip.id, personId })))
    })
    .toSorted((one, other) => lengthOf(other) - lengthOf(one))
  const hard = moments.flatMap(({ atMs, clipId, kind, score }): Candidate[] => {
    const stretch = seen.find((one) => one.clipId === clipId && one.fromMs <= atMs && atMs < one.toMs)
    return stretch ? [{ ...around(atMs, stretch, stretch.span), kind, score, personId: stretch.personId }] : []
  })
  const spread = (stretch: Span, span: Span): Span[] =>
    tries.map((share) => around(stretch.fromMs + share * lengthOf(stretch), stretch, span))
  const clear = seen.flatMap((stretch) =>
    spread(stretch, stretch.span).map((part): Candidate => ({
      ...part,
      ...{ kind: 'clear', score: 0, personId: stretch.personId },
    })),
  )
  const any = spans.flatMap((span) =>
    spread(span, span).map((part): Candidate => ({ ...part, kind: 'any', score: 0, personId: null })),
  )
  return pick(people.length > 0 ? [...hard, ...clear] : any)
}

function pick(candidates: readonly Candidate[]): ProofPart[] {
  const chosen: Candidate[] = []
  const valueOf = ({ score, kind, personId }: Candidate): number =>
    score +
    (chosen.some((part) => part.personId === personId) ? 0 : worth.person) +
    (score === 0 || chosen.some((part) => part.kind === kind) ? 0 : worth.kind)
  while (chosen.length < maxParts) {
    const free = candidates.filter((one) => chosen.every((part) => common(one, part).length === 0))
    const [first] = free
    if (!first) break
    chosen.push(free.reduce((best, one) => (valueOf(one) > valueOf(best) ? one : best), first))
  }
  return chosen
    .toSorted((one, other) => one.fromMs - other.fromMs)
    .map(({ kind, personId, fromMs, toMs }) => ({ kind, personId, fromMs, toMs }))
}

const lengthOf = ({ fromMs, toMs }: Span): number => toMs - fromMs

/** What two spans share: one, or none. */
function common(one: Span, other: Span): Span[] {
  const span = { fromMs: Math.max(one.fromMs, other.fromMs), toMs: Math.min(one.toMs, other.toMs) }
  return span.toMs > span.fromMs ? [span] : []
}

/** A part with a moment in its middle, as far as that is in the stretch, or at least in the span. */
function around(atMs: number, stretch: Span, span: Span): Span {
  const bounds = lengthOf(stretch) >= partMs ? stretch : span
  const length = Math.min(partMs, lengthOf(bounds))
  const fromMs = Math.round(Math.max(bounds.fromMs, Math.min(atMs - length / 2, bounds.toMs - length)))
  return { fromMs, toMs: fromMs + Math.round(length) }
}
