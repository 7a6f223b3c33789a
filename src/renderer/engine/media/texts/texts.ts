/** @file Subtitles and chapters of a video, as texts with times, and their places in a result. */
import { noRoles, type Roles } from '../containers/roles.ts'
import type { SwapPlan } from '../range/swap-plan.ts'

/** A text while it is shown, or a chapter. Times are seconds in the file. */
export interface Cue {
  from: number
  to: number
  /** In UTF-8. */
  text: Uint8Array
  /** Boxes for its style (3GPP TS 26.245, 5.17). */
  style: Uint8Array
}

export interface TextTrack {
  kind: 'subtitles' | 'chapters'
  /** ISO 639-2. */
  language: string
  name: string
  isDefault: boolean
  /** What it is for. */
  roles: Roles
  /** Its `tx3g` sample entry; null: that of `plainEntry`. */
  entry: Uint8Array | null
  /** By their beginnings. */
  cues: Cue[]
}

export const noTexts = (): Promise<TextTrack[]> => Promise.resolve([])

/** The cues of a result, cut to the parts that it has. */
export function placeCues(cues: readonly Cue[], { drops, parts, shift: all, end }: SwapPlan): Cue[] {
  const placed: Cue[] = []
  for (const { from, to, shift } of drops ? parts : [{ from: -all, to: end, shift: all }])
    for (const cue of cues) {
      const own = { ...cue, from: Math.max(cue.from, from) + shift, to: Math.min(cue.to, to) + shift }
      const last = placed.at(-1)
      if (own.to <= own.from) continue
      // A text that is shown at a cut goes on behind it.
      if (last?.text === own.text) last.to = own.to
      else placed.push(own)
    }
  return placed
}

/** A chapter goes on until the next one. @param starts by their beginnings; times in seconds */
export const chaptersOf = (starts: readonly { from: number; title: string }[]): TextTrack[] =>
  starts.length === 0
    ? []
    : [
        {
          ...{ kind: 'chapters', language: 'und', name: '', isDefault: false, roles: noRoles, entry: null },
          cues: starts.map(({ from, title }, index) => ({
            ...{ from, to: starts[index + 1]?.from ?? Infinity },
            ...{ text: new TextEncoder().encode(title), style: new Uint8Array() },
          })),
        },
      ]
