/** @file How a head is held, by its landmarks in a picture. */
import { affineFit, fitTo, type AffineFit } from './align.ts'

/** Degrees; signs as of `yawOf` and `pitchOf`. */
export interface Pose {
  yaw: number
  pitch: number
}

const degrees = 180 / Math.PI

/** Degrees between two poses. */
export const turnBetween = (one: Pose, other: Pose): number => Math.hypot(one.yaw - other.yaw, one.pitch - other.pitch)

/**
 * Finds poses of one head. An affine map from its landmarks in space to those in a picture is a turned, scaled projection;
 * turns in the picture's plane and mirrored pictures don't matter.
 */
export class PoseFinder {
  readonly #fit: AffineFit | null

  /** @param head x, y, z of its landmarks; poses are relative to it */
  constructor(head: Float32Array) {
    this.#fit = affineFit(head)
  }

  /** @param points landmarks in the picture @param size values for each point, x and y first */
  of(points: Float32Array, size: 2 | 3): Pose {
    const fit = this.#fit
    if (!fit) return { yaw: 0, pitch: 0 }
    const [ax = 0, ay = 0, az = 0] = fitTo(fit, points, 0, size)
    const [bx = 0, by = 0, bz = 0] = fitTo(fit, points, 1, size)
    // Turned back in the plane until the head's x axis is level.
    const across = Math.hypot(ax, bx) || 1
    const [cos, sin] = [ax / across, bx / across]
    const [down, intoX, intoY] = [by * cos - ay * sin, az * cos + bz * sin, bz * cos - az * sin]
    return { yaw: -Math.atan2(intoX, across) * degrees, pitch: -Math.atan(intoY / (down || 1)) * degrees }
  }
}
