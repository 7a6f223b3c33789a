import type { QualityRun } from '@shared/engine.ts'

/** Counts frames into runs of the same kind. */
export class QualityRuns {
  readonly runs: QualityRun[] = []
  /** Frames whose face was replaced. */
  swapped = 0

  /** @param runs of an earlier part */
  constructor(runs: readonly QualityRun[] = []) {
    for (const { kind, frames } of runs) this.add(kind, frames)
  }

  add(kind: QualityRun['kind'], frames = 1): void {
    if (kind === 'swapped') this.swapped += frames
    const last = this.runs.at(-1)
    if (last?.kind === kind) last.frames += frames
    else this.runs.push({ kind, frames })
  }
}
