import type { QualityRun } from '@shared/engine/engine.ts'

/** Run-length encodes the kinds of frames. */
export class QualityRuns {
  readonly runs: QualityRun[] = []
  #fresh: QualityRun[] = []
  /** Number of frames with a swapped face. */
  swapped = 0

  add(kind: QualityRun['kind'], frames = 1): void {
    if (kind === 'swapped') this.swapped += frames
    count(this.runs, kind, frames)
    count(this.#fresh, kind, frames)
  }

  /** Runs added since the last call. */
  takeNew(): QualityRun[] {
    const fresh = this.#fresh
    this.#fresh = []
    return fresh
  }
}

function count(runs: QualityRun[], kind: QualityRun['kind'], frames: number): void {
  const last = runs.at(-1)
  if (last?.kind === kind) last.frames += frames
  else runs.push({ kind, frames })
}
