/**
 * @file Judges that the engine does not use: face-api's detector, its 68 landmarks (iBUG's numbers) and its identity
 * (dlib's ResNet), and the iris model that comes with human. They are fetched into an ignored folder when first needed.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fetchPackages } from './fetch.mjs'
import { centre, distance } from './numbers.mjs'

/** Exact versions: another version is another judge. */
const packages = [
  '@vladmandic/face-api@1.7.15',
  '@vladmandic/human@3.3.5',
  '@tensorflow/tfjs@4.22.0',
  '@tensorflow/tfjs-backend-wasm@4.22.0',
]

/** @typedef {{ data: Uint8Array, width: number, height: number }} Picture RGB, three bytes a pixel */
/** @typedef {{ x: number, y: number, size: number, turn?: number }} Square turned clockwise, radians */
/** @typedef {[number, number]} Point */

/** Pixels of the square that the landmark model reads. */
const landmarkSide = 112

/**
 * Squares of a fine read: how far to the side and down, and how large, in parts of the square's size. One square that lies
 * 3 % aside changes how far a mouth follows the input's from 0.979 to 0.962, with the same swap (dev-grin).
 */
const fineSquares = [
  { x: 0, y: 0, size: 1 },
  { x: 0.03, y: 0, size: 1 },
  { x: -0.03, y: 0, size: 1 },
  { x: 0, y: 0.03, size: 1 },
  { x: 0, y: -0.03, size: 1 },
  { x: 0, y: 0, size: 1.06 },
  { x: 0, y: 0, size: 0.94 },
]

/** dlib's own bound for "the same person", as a distance. */
export const samePerson = 0.6

/** @param {string} folder */
export async function loadJudges(folder) {
  fetchPackages(folder, packages)
  // Fetched at run time, so nothing is known of their types.
  /** @type {(name: string) => any} */
  const load = createRequire(join(folder, 'package.json'))
  const tf = load('@tensorflow/tfjs')
  const wasm = load('@tensorflow/tfjs-backend-wasm')
  const modules = join(folder, 'node_modules')
  wasm.setWasmPaths(`${join(modules, '@tensorflow/tfjs-backend-wasm/dist')}/`)
  const { error, warn, log } = console
  Object.assign(console, { error: () => {}, warn: () => {}, log: () => {} })
  let faceapi
  try {
    faceapi = load('@vladmandic/face-api/dist/face-api.node-wasm.js')
    await tf.setBackend('wasm')
    await tf.ready()
    await faceapi.tf.setBackend('wasm')
    await faceapi.tf.ready()
  } finally {
    Object.assign(console, { error, warn, log })
  }
  const weights = join(modules, '@vladmandic/face-api/model')
  for (const net of ['ssdMobilenetv1', 'faceLandmark68Net', 'faceRecognitionNet']) {
    await faceapi.nets[net].loadFromDisk(weights)
  }
  const human = join(modules, '@vladmandic/human/models')
  return new Judges(tf, faceapi, await graphOf(tf, join(human, 'iris')))
}

/** @param {any} tf @param {string} path without its ending */
function graphOf(tf, path) {
  const model = JSON.parse(readFileSync(`${path}.json`, 'utf8'))
  const bin = readFileSync(`${path}.bin`)
  return tf.loadGraphModel(
    tf.io.fromMemory({
      modelTopology: model.modelTopology,
      weightSpecs: model.weightsManifest[0].weights,
      weightData: bin.buffer.slice(bin.byteOffset, bin.byteOffset + bin.length),
      signature: model.signature ?? model.userDefinedMetadata?.signature,
    }),
  )
}

export class Judges {
  #tf
  #faceapi
  #iris

  /** @param {any} tf @param {any} faceapi @param {any} iris */
  constructor(tf, faceapi, iris) {
    this.#tf = tf
    this.#faceapi = faceapi
    this.#iris = iris
  }

  /** The largest face. @param {Picture} picture @returns {Promise<Square | null>} */
  async detect(picture) {
    const tensor = this.#tf.tensor3d(picture.data, [picture.height, picture.width, 3], 'int32')
    try {
      const options = new this.#faceapi.SsdMobilenetv1Options({ minConfidence: 0.4, maxResults: 5 })
      const found = await this.#faceapi.detectAllFaces(tensor, options)
      const boxes = found.map((/** @type {any} */ one) => one.box)
      boxes.sort((/** @type {any} */ a, /** @type {any} */ b) => b.width * b.height - a.width * a.height)
      const [box] = boxes
      if (!box) return null
      return { x: box.x + box.width / 2, y: box.y + box.height / 2, size: Math.max(box.width, box.height) }
    } finally {
      tensor.dispose()
    }
  }

  /** The 68 points of the face in a square. @param {Picture} picture @param {Square} square */
  async landmarks(picture, square) {
    const [points = []] = await this.#read([crop(picture, square, landmarkSide)], square)
    return points
  }

  /**
   * The same square in several pictures, each read as it is and mirrored. The model reads a mirrored face 4 to 6 % of the
   * eye distance elsewhere: both reads' mean is used where points are compared, and their difference is its error.
   * @param {readonly Picture[]} pictures @param {Square} square
   * @param {boolean} isFine true for the means over `fineSquares`
   * @returns {Promise<{ plain: Point[], mirrored: Point[], mean: Point[] }[]>}
   */
  async landmarksTwice(pictures, square, isFine = false) {
    const squares = squaresAbout(square, isFine)
    /** @type {Point[][][]} */
    const plain = []
    /** @type {Point[][][]} */
    const others = []
    for (const one of squares) {
      const cuts = pictures.map((picture) => crop(picture, one, landmarkSide))
      plain.push(await this.#read(cuts, one))
      const turned = cuts.map((cut) => mirror(cut, landmarkSide))
      others.push(await this.#read(turned, one, -1))
    }
    return pictures.map((_, at) => {
      const points = meanOf(plain.map((reads) => reads[at] ?? []))
      const swapped = meanOf(others.map((reads) => reads[at] ?? []))
      const mirrored = opposite.map((from) => swapped[from] ?? /** @type {Point} */ ([0, 0]))
      return { plain: points, mirrored, mean: meanOf([points, mirrored]) }
    })
  }

  /** @param {readonly Uint8Array[]} cuts @param {Square} square that they show @param {1 | -1} sign -1 when they are mirrored @returns {Promise<Point[][]>} */
  async #read(cuts, square, sign = 1) {
    const tensors = cuts.map((cut) => this.#tf.tensor3d(cut, [landmarkSide, landmarkSide, 3], 'int32'))
    try {
      const found = await this.#faceapi.nets.faceLandmark68Net.detectLandmarks(tensors)
      const { x, y, size, turn = 0 } = square
      const [along, across] = [Math.cos(turn) * size, Math.sin(turn) * size]
      return [found].flat().map((/** @type {any} */ one) =>
        one.positions.map((/** @type {any} */ at) => {
          const [u, v] = [sign * (at.x / landmarkSide - 0.5), at.y / landmarkSide - 0.5]
          return [x + u * along - v * across, y + u * across + v * along]
        }),
      )
    } finally {
      for (const tensor of tensors) tensor.dispose()
    }
  }

  /** The identity's 128 numbers. @param {Picture} picture @param {Point[]} points */
  async identity(picture, points) {
    const side = 150
    const tensor = this.#tf.tensor3d(crop(picture, squareOf(points, 1.4), side), [side, side, 3], 'int32')
    try {
      return /** @type {Float32Array} */ (await this.#faceapi.nets.faceRecognitionNet.computeFaceDescriptor(tensor))
    } finally {
      tensor.dispose()
    }
  }

  /**
   * Eyes' openness (height to width) and where the iris is between the corners and across, in widths of the eye.
   * @param {readonly { picture: Picture, square: Square, isMirrored?: boolean }[]} cuts
   */
  async eyes(cuts) {
    const side = 64
    const pixels = new Float32Array(cuts.length * side * side * 3)
    for (const [index, { picture, square, isMirrored }] of cuts.entries()) {
      const cut = crop(picture, square, side)
      pixels.set(
        Float32Array.from(isMirrored ? mirror(cut, side) : cut, (value) => value / 255),
        index * side * side * 3,
      )
    }
    const input = this.#tf.tensor4d(pixels, [cuts.length, side, side, 3])
    const output = this.#iris.predict(input)
    const raw = /** @type {Float32Array} */ (await output.data())
    input.dispose()
    output.dispose()
    return cuts.map((_, index) => readEye(raw.subarray((index * raw.length) / cuts.length)))
  }
}

/** The model's first sixteen points go round the opening: 0…8 below from corner to corner, 9…15 above. @param {Float32Array} raw */
function readEye(raw) {
  /** @param {number} index @returns {Point} */
  const at = (index) => [raw[index * 3] ?? 0, raw[index * 3 + 1] ?? 0]
  const [a, b, iris] = [at(0), at(8), at(71)]
  const width = distance(a, b)
  /** @type {Point} */
  const along = [(b[0] - a[0]) / width, (b[1] - a[1]) / width]
  /** @type {Point} */
  const from = [iris[0] - (a[0] + b[0]) / 2, iris[1] - (a[1] + b[1]) / 2]
  return {
    open: distance(at(4), at(12)) / width,
    x: (from[0] * along[0] + from[1] * along[1]) / width,
    y: (from[1] * along[0] - from[0] * along[1]) / width,
  }
}

/** The square round a face's points, turned as its eyes are. @param {readonly Point[]} points @param {number} grow @returns {Square} */
export function squareOf(points, grow) {
  const turn = turnOf(points)
  const [c, s] = [Math.cos(turn), Math.sin(turn)]
  const xs = points.map(([x, y]) => x * c + y * s)
  const ys = points.map(([x, y]) => y * c - x * s)
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const [x, y] = [(left + right) / 2, (top + bottom) / 2]
  return { x: x * c - y * s, y: x * s + y * c, size: Math.max(right - left, bottom - top) * grow, turn }
}

/** Each point's mean over several reads. @param {readonly (readonly Point[])[]} reads @returns {Point[]} */
const meanOf = (reads) => (reads[0] ?? []).map((_, n) => centre(reads.map((points) => points[n] ?? [0, 0])))

/** @param {Square} square @param {boolean} isFine false for the square alone @returns {Square[]} the square itself first */
export const squaresAbout = (square, isFine) =>
  fineSquares.slice(0, isFine ? fineSquares.length : 1).map(({ x, y, size }) => ({
    ...square,
    x: square.x + x * square.size,
    y: square.y + y * square.size,
    size: square.size * size,
  }))

/** How the eyes lie. @param {readonly Point[]} points */
export function turnOf(points) {
  const [left, right] = [points.slice(36, 42), points.slice(42, 48)]
  const off = [0, 1].map(
    (axis) => right.reduce((sum, at) => sum + (at[axis] ?? 0), 0) - left.reduce((sum, at) => sum + (at[axis] ?? 0), 0),
  )
  return Math.atan2(off[1] ?? 0, off[0] ?? 1)
}

/** Which of iBUG's points each is in a mirrored face. */
const opposite = [
  ...Array.from({ length: 17 }, (_, n) => 16 - n),
  ...Array.from({ length: 10 }, (_, n) => 26 - n),
  ...[27, 28, 29, 30, 35, 34, 33, 32, 31],
  ...[45, 44, 43, 42, 47, 46, 39, 38, 37, 36, 41, 40],
  ...[54, 53, 52, 51, 50, 49, 48, 59, 58, 57, 56, 55, 64, 63, 62, 61, 60, 67, 66, 65],
]

/** A square of RGB pixels with left and right swapped. @param {Uint8Array} pixels @param {number} side */
export function mirror(pixels, side) {
  const out = new Uint8Array(pixels.length)
  for (let at = 0; at < side * side; at += 1) {
    const to = at - (at % side) + side - 1 - (at % side)
    out.set(pixels.subarray(at * 3, at * 3 + 3), to * 3)
  }
  return out
}

/** A square of a picture at another size; what lies beyond the edge repeats it. Means of four where it shrinks. */
export function crop(/** @type {Picture} */ picture, /** @type {Square} */ square, /** @type {number} */ side) {
  const { data, width, height } = picture
  const out = new Uint8Array(side * side * 3)
  const step = square.size / side
  const [c, s] = [Math.cos(square.turn ?? 0), Math.sin(square.turn ?? 0)]
  const taps = Math.min(3, Math.max(1, Math.ceil(step)))
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      /** @type {[number, number, number]} */
      const sum = [0, 0, 0]
      for (let tap = 0; tap < taps * taps; tap += 1) {
        const u = (column + ((tap % taps) + 0.5) / taps) * step - square.size / 2
        const v = (row + (Math.floor(tap / taps) + 0.5) / taps) * step - square.size / 2
        const x = square.x + u * c - v * s - 0.5
        const y = square.y + u * s + v * c - 0.5
        const cx = Math.min(width - 1.001, Math.max(0, x))
        const cy = Math.min(height - 1.001, Math.max(0, y))
        const at = (Math.floor(cy) * width + Math.floor(cx)) * 3
        const fx = cx % 1
        const fy = cy % 1
        for (let n = 0; n < 3; n += 1) {
          const one = at + n
          const top = (data[one] ?? 0) * (1 - fx) + (data[one + 3] ?? 0) * fx
          const low = (data[one + width * 3] ?? 0) * (1 - fx) + (data[one + width * 3 + 3] ?? 0) * fx
          sum[n] = (sum[n] ?? 0) + top * (1 - fy) + low * fy
        }
      }
      for (let n = 0; n < 3; n += 1) out[(row * side + column) * 3 + n] = (sum[n] ?? 0) / (taps * taps) + 0.5
    }
  }
  return out
}
