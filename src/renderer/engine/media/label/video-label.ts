/** @file The label of a video: on which frames it is, and how it is drawn into them. */
import { startSeconds } from '@shared/options/label.ts'
import type { Size } from '@shared/tasks/output.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { uprightToCoded } from '../../common/affine.ts'
import type { Planes } from '../pixels/planes.ts'
import type { Shown } from '../pixels/still.ts'
import { LabelDrawing } from './label-drawing.ts'
import type { LabelChoice } from './label-layout.ts'

/** Tolerance in seconds when times are compared. */
const tolerance = 1e-3

/** Null: no label. */
export function labelChoiceOf({ label, labelLanguage }: SwapOptions): LabelChoice | null {
  return label === null || label === 'off' ? null : { label, language: labelLanguage ?? 'en' }
}

export class VideoLabel {
  readonly #drawing: LabelDrawing
  /** Time of the first frame without it, in seconds. */
  readonly #until: number

  private constructor(drawing: LabelDrawing, until: number) {
    this.#drawing = drawing
    this.#until = until
  }

  /**
   * @param start time of the result's first frame, in seconds of the timestamps that `drawAt` gets
   * @returns null: no label
   */
  static of(
    options: SwapOptions,
    { rotation, flip }: Pick<Shown, 'rotation' | 'flip'>,
    { width, height, displayWidth, displayHeight }: Size & { displayWidth: number; displayHeight: number },
    start: number,
  ): VideoLabel | null {
    const choice = labelChoiceOf(options)
    if (!choice) return null
    const turned = rotation % 180 !== 0
    const shown = { width: turned ? displayHeight : displayWidth, height: turned ? displayWidth : displayHeight }
    const coded = { width, height }
    const drawing = LabelDrawing.of(choice, shown, coded, uprightToCoded(coded, { ...shown, rotation, flip }))
    const until = choice.label === 'eu' ? Infinity : start + startSeconds - tolerance
    return drawing && new VideoLabel(drawing, until)
  }

  /** @param timestamp of the frame, in seconds. @param full whether luma has the full range */
  drawAt(timestamp: number, planes: Planes, full: boolean): void {
    if (timestamp < this.#until) this.#drawing.onPlanes(planes, full)
  }
}
