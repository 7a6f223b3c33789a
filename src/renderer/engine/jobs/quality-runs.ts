import type { QualityRun } from '@shared/engine.ts'

/** Counts frames into runs of the same kind. */
export class QualityRuns {
  readonly runs: QualityRun[] = []
  /** Frames whose face was replaced. */
  swapped = 0

  add(kind: QualityRun['kind']): void {
    if (kind === 'swapped') this.swapped += 1
    const last = this.runs.at(-1)
    if (last?.kind === kind) last.frames += 1
    else this.runs.push({ kind, frames: 1 })
  }
}
