/** @file Decides when a face is looked at, by landmarks and embedding: the most expensive part of a scan. */
import { cosineOf } from './cosine.ts'
import { samePersonCosine } from './face-embedder.ts'
import { changedShare, type Joined, type Tracklet } from './tracklets.ts'

/** A face is looked at again if it is so much larger, */
const largerBy = 1.3
/**
 * or if this share of its spots has another light than at the sample before and at all looks (less where the picture
 * jumped, and than at the sample before only), or after this time (sooner if all pictures are poor), then after
 * twice the time, and so on: some cuts aren't noticed. Poor pictures say nothing about who it is. What was no face may be
 * one that turns to the camera. A look without a face is repeated once at the next sample, because a little motion or
 * another colour can be enough for the landmark model to miss a face.
 */
const check = { changed: 0.4, jumped: 0.12, everyMs: 6000, soonMs: 700, missedMs: 1500, quality: 0.3 }

/** What the looks at a tracklet's face showed. */
interface Known {
  /** Of the best one; 0 without a face. */
  quality: number
  /** Size of the region at the largest. */
  size: number
  firstMs: number
  lastMs: number
  /** Looks since the last one with a face. */
  misses: number
  /** Light and dark in the face at each. */
  lights: Float32Array[]
  /** Of the best one. */
  picture: Promise<Blob> | null
}

/** A face that landmarks were found of. */
export interface FaceLook {
  /** 0…1 */
  quality: number
  /** The embedding. */
  vector: Float32Array
}

export class Looks {
  readonly #known = new Map<Tracklet, Known>()

  /** @param size of the face's region */
  isDue(
    { tracklet, changed }: Pick<Joined, 'tracklet' | 'changed'>,
    ms: number,
    size: number,
    isJump: boolean,
  ): boolean {
    const known = this.#known.get(tracklet)
    if (!known) return true
    const { quality, firstMs, lastMs, misses, lights } = known
    const usual = Math.max(check.everyMs * quality, quality < check.quality ? check.soonMs : lastMs - firstMs)
    const later = quality === 0 ? check.missedMs : usual
    const wait = misses === 1 ? 0 : later
    const { light } = tracklet
    const isNewLight = (): boolean => lights.every((one) => light && changedShare(one, light) >= check.changed)
    const isChanged = isJump ? changed >= check.jumped : changed >= check.changed && isNewLight()
    return isChanged || size > known.size * largerBy || ms - lastMs >= wait
  }

  /**
   * Whether a look at a tracklet's last face begins another tracklet: somebody else, or the first that is a face. After a
   * single look without a face it doesn't: the face was there, too.
   */
  isOther(tracklet: Tracklet, { quality, vector }: FaceLook): boolean {
    const known = this.#known.get(tracklet)
    if (!known) return false
    if (known.quality === 0) return known.misses > 1
    return (
      Math.min(quality, known.quality) >= check.quality && cosineOf(tracklet.sum ?? vector, vector) < samePersonCosine
    )
  }

  /** The landmark model found no face in a tracklet's last one: it is none, or turned away. */
  miss(tracklet: Tracklet, ms: number, size: number): void {
    const known = this.#known.get(tracklet) ?? { quality: 0, size, firstMs: ms, misses: 0, lights: [], picture: null }
    this.#known.set(tracklet, { ...known, size: Math.max(size, known.size), lastMs: ms, misses: known.misses + 1 })
  }

  /** @param draw makes a picture of the face */
  note(tracklet: Tracklet, ms: number, size: number, quality: number, draw: () => Promise<Blob>): void {
    const known = this.#known.get(tracklet) ?? { quality: 0, size, firstMs: ms, misses: 0, lights: [], picture: null }
    const { light } = tracklet
    this.#known.set(tracklet, {
      ...{ quality: Math.max(quality, known.quality), size: Math.max(size, known.size) },
      ...{ firstMs: known.firstMs, lastMs: ms, misses: 0, lights: light ? [...known.lights, light] : known.lights },
      picture: known.picture && known.quality >= quality ? known.picture : draw(),
    })
  }

  /** The best picture of some tracklets; null if there is none. */
  pictureOf(tracklets: readonly Tracklet[]): Promise<Blob> | null {
    const looks = tracklets.flatMap((tracklet) => this.#known.get(tracklet) ?? [])
    return looks.sort((a, b) => b.quality - a.quality)[0]?.picture ?? null
  }
}
