/** @file What must hold, by name: the value, and its bound with the side it must be on. */

import { gazeOff, landmarkError, openness } from './measures.mjs'

/** @typedef {ReturnType<typeof import('./measures.mjs').sumUp>} Found */
/** @typedef {{ of: (found: Found) => number, min?: number, max?: number }} Gate */

/** @type {Record<string, Gate>} */
const gates = {
  identityRise: { of: (found) => found.similarityRise, min: 0.35 },
  /** dlib's own bound for the same person. */
  identityDistance: { of: (found) => found.distanceAfter, max: 0.6 },
  /**
   * Of the eye distance, as are the mouth's. The proportions are the source's, so they can't be the input's. The judge's
   * own reads of one face, as it is and mirrored, are 0.036 to 0.058 apart; both reads' mean is judged.
   */
  landmarks: { of: (found) => found.landmarkError, max: 0.04 },
  mouth: { of: (found) => found.mouthError, max: 0.06 },
  /** Correlation of the expression's motion with the input's, least of the parts that the judge sees (`expression.mjs`). */
  expression: { of: (found) => found.expression, min: 0.97 },
  /** How far the same parts move, in parts of how far the input's do. Narrower eyes open less: 0.65 of wide ones. */
  expressionRange: { of: (found) => found.expressionRange, min: 0.6, max: 1.6 },
  blinks: { of: (found) => found.blinkAgreement, min: 0.95 },
  /** Frames in which lids are shut for certain, and stay so. */
  shut: { of: (found) => found.shutKept, min: 1 },
  /** How the eyes move, each clip about its usual look: where a person's iris lies between the lids is the source's. */
  gaze: { of: (found) => found.gazeDegrees, max: 5 },
  jitter: { of: (found) => found.jitterRatio, max: 1.1 },
  seam: { of: (found) => found.seamRatio, max: 1.15 },
  /** Steps of the face's light that the input has not, in parts of the input's, or of one level. */
  light: { of: (found) => found.lightError, max: 0.35 },
  /** Blue or grey where skin is. */
  colour: { of: (found) => found.wrongColour, max: 0.002 },
  /** The largest step of how much is swapped from a frame to the next: a fade takes three frames at least. */
  pop: { of: (found) => found.pop, max: 0.34 },
  /** What is left of the swap in profile. */
  faded: { of: (found) => found.profileLeft, max: 0.25 },
  /** Frames with a plain face that was not swapped, while no fade is due. */
  present: { of: (found) => found.absent, max: 0 },
  /** How much is swapped right after a hard cut. */
  cut: { of: (found) => found.afterCut, min: 0.5 },
  grain: { of: (found) => Math.abs(Math.log2(found.roughness)), max: 0.5 },
  /** Share of what is in front that the swap altered. */
  covered: { of: (found) => found.altered, max: 0.05 },
  /** Share of the clear face beside it that the swap left out. */
  uncovered: { of: (found) => found.leftOut, max: 0.15 },
  bystander: { of: (found) => found.bystander, max: 6 },
}

const round = (/** @type {number} */ value) => Number(value.toFixed(4))

/** @param {Found} found @param {readonly string[]} names */
export const judge = (found, names) =>
  names.map((name) => {
    const gate = gates[name]
    if (!gate) throw new Error(`no gate is named ${name}`)
    const { of, min = -Infinity, max = Infinity } = gate
    const value = of(found)
    const bound = { ...(gate.min === undefined ? {} : { min }), ...(gate.max === undefined ? {} : { max }) }
    return { gate: name, value: round(value), ...bound, pass: value >= min && value <= max }
  })

/** @param {Found} found */
export const detailsOf = (found) => Object.fromEntries(Object.entries(found).map(([key, value]) => [key, round(value)]))

/** What was seen in one frame, to find out what a gate complains about. @param {import('./frame-pairs.mjs').FramePair} pair */
export function ofFrame(pair) {
  const { inside, occlusion, seam, bystander, before } = pair
  const seen = before.length > 0
  return {
    ...(seen
      ? {
          landmarks: round(landmarkError(pair)),
          open: Object.values(openness(pair)).map(round),
          gaze: Object.values(gazeOff(pair)).map(round),
        }
      : {}),
    ...(seam ? { seam: round(seam.after / Math.max(0.1, seam.before)) } : {}),
    ...(inside
      ? { change: round(inside.change), light: [inside.before, inside.after].map(round), wrong: round(inside.wrong) }
      : {}),
    ...(occlusion ?? {}),
    ...(bystander === null ? {} : { bystander: round(bystander) }),
  }
}
