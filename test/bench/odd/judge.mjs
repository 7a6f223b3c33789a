/** @file What of a swapped video is not as in the video: frames, times, sound, tags, and colours outside of the face. */
import { existsSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { decodedSound, packetsOf, readSound, textsOf } from './media-facts.mjs'

/** @typedef {import('./clips.mjs').Odd} Odd */

/** Seconds. Matroska tells whole milliseconds. */
const slack = 0.0011
/** Seconds: two packets of AAC. Where a clock jumps, picture and sound end apart, and only one is followed at once. */
const jumpSlack = 0.05
/** Mean difference of a colour outside of the face, of 255. */
const maxColour = 1

/**
 * What is wrong with an answer of the engine; empty when nothing is.
 * @param {Odd} one
 * @param {string} input
 * @param {any} answer
 * @param {string} output its file
 */
export async function wrongOf(one, input, { error, result }, output) {
  if (error) {
    const told = Object.entries(one.details ?? {}).every(([key, value]) => error.details[key] === value)
    if (!one.codes?.includes(error.code) || !told) return `refused: ${JSON.stringify(error)}`
    return existsSync(output) && error.code === 'engine-failed' ? 'left an output' : ''
  }
  if (one.codes) return 'was not refused'
  const lost = result.lostSound.length
  const found = (one.sound === 'none') === lost > 0 ? [] : [`says that ${String(lost)} sounds are lost`]
  const missing = result.missing.join()
  if (missing !== (one.missing ?? []).join()) found.push(`says that it misses ${missing || 'nothing'}`)
  if (!one.mayDiffer) found.push(...(await differences(one, input, output)))
  return found.join(', ')
}

/** @param {Pick<Odd, 'sound' | 'jumps' | 'options'>} one @param {string} input @param {string} output */
export async function differences({ sound, jumps, options }, input, output) {
  const [from, to] = [packetsOf(input), packetsOf(output)]
  const found = []
  if (jumps) Object.assign(from, { video: timesOf(input) })
  if (jumps) Object.assign(to, { video: timesOf(output) })
  found.push(...differentTimes(from, to, jumps ? jumpSlack : slack))
  if (sound === 'none' && to.audio.size > 0) found.push('sound that was not expected')
  if (sound === 'decoded' && !jumps && decodedSound(input) !== decodedSound(output)) found.push('other sound')
  if (sound === 'read' && (await readSound(input)) !== (await readSound(output))) found.push('other sound')
  const [before, after] = sound ? [[], []] : [[...from.audio.values()], [...to.audio.values()]]
  if (before.length !== after.length) found.push(`audio tracks ${String(before.length)} → ${String(after.length)}`)
  for (const [index, track] of before.entries()) {
    const copy = after[index]
    if (!copy) continue
    const [a, b] = [track, copy].map((one) => one.sizes.reduce((sum, size) => sum + size, 0))
    if (a !== b) found.push(`audio ${String(index)}: ${String(a)} → ${String(b)} bytes`)
    else if (Math.abs((track.times[0] ?? 0) - (copy.times[0] ?? 0)) > slack)
      found.push(`audio ${String(index)} starts ${String(track.times[0])} → ${String(copy.times[0])}`)
  }
  // MPEG-TS has no usual track.
  const hasUsual = from.streams.some((stream) => isSound(stream) && stream.disposition?.default)
  const [said, kept] = [from, to].map(({ streams }) => streams.filter(isSound).map(toldOf(hasUsual)).join('; '))
  if (sound !== 'none' && said !== kept) found.push(`tracks of sound ${String(said)} → ${String(kept)}`)
  found.push(...differentTexts(textsOf(input, from.earliest), textsOf(output, to.earliest)))
  const [one, two] = [from, to].map(({ streams }) => streams.find(isVideo))
  found.push(...differentTags(one, two, options?.size), ...differentColours([input, one], [output, two], options))
  const [shape, copy] = [aspectOf(one), aspectOf(two)]
  if (Math.abs(shape / copy - 1) > 0.006) found.push(`aspect ${shape.toFixed(3)} → ${copy.toFixed(3)}`)
  return found
}

/**
 * Of the frames, and how long the last one lasts.
 * @param {ReturnType<typeof packetsOf>} from @param {ReturnType<typeof packetsOf>} to @param {number} by seconds
 */
function differentTimes({ video: times, lastMs }, { video: made, lastMs: madeMs }, by = slack) {
  const found = []
  const late = times.findIndex((time, index) => !(Math.abs(time - (made[index] ?? NaN)) <= by))
  if (times.length !== made.length) found.push(`frames ${String(times.length)} → ${String(made.length)}`)
  else if (late >= 0) found.push(`time of frame ${String(late)}: ${String(times[late])} → ${String(made[late])}`)
  if (lastMs > 0 && Math.abs(lastMs - madeMs) > slack * 1000)
    found.push(`last frame of ${String(lastMs)} → ${String(madeMs)} ms`)
  return found
}

/** @typedef {ReturnType<typeof textsOf>} Texts @param {Texts} from @param {Texts} to */
const differentTexts = (from, to) =>
  from.length === to.length && from.every(({ time, text }, index) => text === to[index]?.text && Math.abs(time - to[index].time) < slack) // prettier-ignore
    ? []
    : [`texts ${JSON.stringify(from)} → ${JSON.stringify(to)}`]

const isVideo = (/** @type {any} */ { codec_type: type }) => type === 'video'
const isSound = (/** @type {any} */ { codec_type: type }) => type === 'audio'
/** Language and whether players take it; ffprobe reads no titles of MP4's tracks. */
const toldOf =
  (/** @type {boolean} */ hasUsual) =>
  (/** @type {any} */ { tags, disposition }) => {
    const language = tags?.language === 'und' ? '' : (tags?.language ?? '')
    return [language, hasUsual && disposition?.default === 1 ? 'usual' : ''].join(' ').trim()
  }
const isTold = (/** @type {unknown} */ tag) => ![undefined, 'unknown', 'unspecified'].includes(/** @type {any} */ (tag))

/** @param {any} one @param {any} two @param {unknown} size */
function differentTags(one, two, size) {
  const tags = ['color_space', 'color_transfer', 'color_primaries', 'color_range']
  const found = tags
    .filter((tag) => isTold(one?.[tag]) && two?.[tag] !== one[tag] && !(tag === 'color_range' && one[tag] === 'tv'))
    .map((tag) => `${tag} ${String(one[tag])} → ${String(two?.[tag])}`)
  if (!size && isTold(two?.color_space) && !isTold(one?.color_space))
    found.push(`color_space told: ${String(two.color_space)}`)
  return found
}

/** Times of the frames in seconds, as ffmpeg makes them of clocks that jump. @param {string} path */
function timesOf(path) {
  const args = ['-v', 'error', '-i', path, '-map', '0:v:0', '-c', 'copy', '-f', 'framecrc', '-']
  const { stdout } = spawnSync('ffmpeg', args, { encoding: 'utf8' })
  const [, over = '1', under = '1'] = /#tb 0: (\d+)\/(\d+)/.exec(stdout) ?? []
  const frames = stdout.split('\n').filter((line) => /^\d/.test(line))
  const times = frames.map((line) => (Number(line.split(',')[2]) * Number(over)) / Number(under)).sort((a, b) => a - b)
  return times.map((time) => time - (times[0] ?? 0))
}

/** A pixel's width to its height. @param {any} stream */
function aspectOf(stream) {
  const [width = 1, height = 1] = String(stream?.sample_aspect_ratio ?? '1:1')
    .split(':')
    .map(Number)
  return width > 0 && height > 0 ? width / height : 1
}

/** Squares of a picture, across and down, and how many of them frame the face. */
const squares = { across: 32, down: 24, frame: 2 }
/** ffmpeg's names of the matrices, for its scaler. @type {Record<string, string>} */
const matrices = {
  ...{ bt709: 'bt709', smpte170m: 'smpte170m', bt470bg: 'bt470', smpte240m: 'smpte240m' },
  ...{ bt2020nc: 'bt2020', bt2020c: 'bt2020', fcc: 'fcc' },
}

/**
 * Each square of each frame in red, green and blue. Without tags, it is drawn as players do, from 720 lines on by BT.709;
 * ffmpeg itself takes BT.601 then. @param {[path: string, stream: any]} video without a stream, it is in RGB
 * @param {any} odd a stream of an odd size, to which the picture is cut
 */
function coloursOf([path, stream], odd) {
  const isFull = stream?.color_range === 'pc'
  const guess = stream?.coded_height >= 720 && !isFull ? 'bt709' : 'smpte170m'
  const matrix = isTold(stream?.color_space) ? matrices[stream.color_space] : stream && guess
  const scale = `scale=${String(squares.across)}:${String(squares.down)}:flags=area+full_chroma_int+full_chroma_inp+accurate_rnd${matrix ? `:in_color_matrix=${matrix}` : ''}`
  const filter = odd ? `${cutTo(odd, stream.pix_fmt)},${scale}` : scale
  const args = ['-v', 'error', '-i', path, '-map', '0:v:0', '-vf', filter, '-fps_mode', 'passthrough']
  return spawnSync('ffmpeg', [...args, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'], { maxBuffer: 1 << 28 }).stdout
}

/**
 * ffmpeg's filter that cuts a picture to an odd size, plane by plane: its own scaler stretches halved colour over such a
 * size, and its own filters leave the last of it out.
 * @param {{ width: number, height: number }} size @param {string} format
 */
function cutTo({ width, height }, format) {
  const even = [width, height].map((side) => String(side + (side % 2))).join(':')
  const grow = format.startsWith('yuv420') ? `scale=${even}:flags=neighbor,` : ''
  const crop = `crop=${String(width)}:${String(height)}:0:0`
  const planes = `[y]${crop}[y1];[u]${grow}${crop}[u1];[v]${grow}${crop}[v1]`
  return `setparams=range=unknown,extractplanes=y+u+v[y][u][v];${planes};[y1][u1][v1]mergeplanes=0x001020:yuv444p`
}

/**
 * Of the squares around the face, which the plain clip has in many colours.
 * @param {[path: string, stream: any]} one @param {[path: string, stream: any]} two @param {Odd['options']} options
 */
function differentColours(one, two, options) {
  const [, from] = one
  // A result has its last column twice, and its squares would not be those of the video.
  const odd = !options?.size && from && (from.width % 2 === 1 || from.height % 2 === 1) ? from : null
  const [a, b] = [coloursOf(one, odd), coloursOf(two, odd)]
  return differentSquares(a, a.length < b.length ? framesAlso(b, one[0], two[0]) : b, options)
}

/**
 * Of a damaged video, ffmpeg draws fewer frames than it has packets; a result has one for each.
 * @param {Uint8Array} all squares of a result @param {string} input @param {string} output
 * @returns {Uint8Array} of the frames that ffmpeg also draws of the input
 */
function framesAlso(all, input, output) {
  const [from, to] = [input, output].map(drawnTimes)
  const length = 3 * squares.across * squares.down
  const kept = (from ?? []).map((time) => to?.findIndex((other) => Math.abs(other - time) < slack) ?? -1)
  return Buffer.concat(kept.filter((at) => at >= 0).map((at) => all.subarray(at * length, (at + 1) * length)))
}

/** Seconds of the frames that ffmpeg draws, from the first. @param {string} path */
function drawnTimes(path) {
  const args = ['-v', 'error', '-select_streams', 'v:0', '-show_entries', 'frame=pts_time', '-of', 'csv=p=0', path]
  const times = spawnSync('ffprobe', args, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean).map(parseFloat)
  return times.map((time) => time - (times[0] ?? 0))
}

/**
 * @param {Uint8Array} a squares of all frames, in red, green and blue
 * @param {Uint8Array} b
 * @param {Odd['options']} options
 */
export function differentSquares(a, b, options) {
  if (a.length === 0 || a.length !== b.length) return [`colours of ${String(a.length)} → ${String(b.length)} bytes`]
  const { across, down, frame } = squares
  const sums = [0, 0, 0]
  let count = 0
  for (let at = 0; at < a.length; at += 3) {
    const [x, y] = [(at / 3) % across, Math.floor(at / 3 / across) % down]
    const isInside = x >= frame && x < across - frame && y >= frame && y < down - frame
    // A label is in the upper half.
    if (isInside || (options?.label && y < down / 2)) continue
    count += 1
    sums.forEach((sum, channel) => {
      sums[channel] = sum + Math.abs((a[at + channel] ?? 0) - (b[at + channel] ?? 0))
    })
  }
  const means = sums.map((sum) => sum / count)
  return means.some((mean) => mean > maxColour)
    ? [`colours differ by ${means.map((mean) => mean.toFixed(1)).join(' ')}`]
    : []
}

/**
 * What is wrong with the swap of a picture or an animation; empty when nothing is.
 * @param {import('./targets.mjs').OddTarget} one
 * @param {string} input
 * @param {any} answer
 * @param {string} dir
 * @param {(path: string, squares: { across: number, down: number }) => Promise<Uint8Array>} draw as Chromium does
 */
export async function wrongOfTarget(one, input, { error, result }, dir, draw) {
  if (error) return `refused: ${JSON.stringify(error)}`
  const output = join(dir, `output.${one.moves ? 'mp4' : result.format}`)
  if (!one.moves)
    return differentSquares(await draw(input, squares), await draw(output, squares), one.options).join(', ')
  const [from, to] = [packetsOf(input), packetsOf(output)]
  const found = differentTimes(from, to)
  const stream = to.streams.find(isVideo)
  return [...found, ...differentColours([input, null], [output, stream], one.options)].join(', ')
}
