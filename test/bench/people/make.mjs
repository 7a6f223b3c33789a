/** @file Makes the composed videos, once, and says who is where in each frame. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ffmpeg } from '../quality/frames.mjs'
import { record } from '../quality/scenes/record.mjs'
import { drawHead, drawWall, headOnWall, visibleShare, wall, regionOf } from './compose.mjs'
import { loadPortraits } from './portraits.mjs'
import { fps, size, wallSize } from './scenes.mjs'

/** @typedef {import('./scenes.mjs').Scene} Scene @typedef {import('./scenes.mjs').Shot} Shot */
/** @typedef {import('./judge.mjs').Truth} Truth @typedef {import('./judge.mjs').TrueFace} TrueFace */

/** What of a face has to be seen, and how far it may be turned (degrees), for it to be required. */
const required = { share: 0.85, yaw: 40 }
/** Faces nearer to each other than this, in sizes of the region, aren't required: it can't be said which is which. */
const minApart = 0.6
/** Faces aren't required so long (in frames) before and after they are hidden, or outside. At cuts they are. */
const graceFrames = fps / 2
/** A face on a wall is a person or not, as the scan likes, from this size in pixels on, if it is seen for two seconds. */
const minPoster = { size: size.height / 10, seconds: 2 }

const framesOf = (/** @type {Shot} */ { seconds }) => Math.round(seconds * fps)
const panOf = (/** @type {Shot} */ { pan }, /** @type {number} */ t) => pan?.(t) ?? /** @type {const} */ ([0, 0])

/** Two portraits years apart are one person. @param {string} portrait */
const personOf = (portrait) => portrait.replace(/-\d+$/, '')

/** @param {Shot} shot @returns {TrueFace[][]} by frame */
function truthOfShot(shot) {
  const frames = Array.from({ length: framesOf(shot) }, (_, index) => {
    const heads = shot.heads(index / fps)
    return heads.map((head, at) => {
      const isApart = heads.every(
        (other) => other === head || Math.hypot(other.x - head.x, other.y - head.y) > minApart * head.size,
      )
      const isSeen = visibleShare(head, heads.slice(at + 1), size) >= required.share
      const isClear = isApart && isSeen && Math.abs(head.yaw ?? 0) <= required.yaw
      return { ...regionOf(head), person: personOf(head.portrait), isClear }
    })
  })
  const posters = (shot.posters ?? []).filter(
    (poster) => poster.size >= minPoster.size && shot.seconds >= minPoster.seconds && !shot.pan,
  )
  return frames.map((faces, index) => [
    ...faces.map(({ isClear, ...face }) => {
      const near = frames.slice(Math.max(0, index - graceFrames), index + graceFrames + 1)
      const isRequired = near.every((others) => others.some((other) => other.person === face.person && other.isClear))
      return { ...face, isRequired: isClear && isRequired }
    }),
    ...posters.map(({ portrait, x, y, size: side }) => ({
      x,
      y,
      size: side,
      person: `poster of ${portrait}`,
      isRequired: false,
    })),
  ])
}

/** @param {Scene} scene @returns {Truth} */
export const truthOf = ({ shots }) => ({ fps, frames: shots.flatMap(truthOfShot) })

/** Changes when the video has to be made again. @param {Scene} scene */
function keyOf({ shots }) {
  const digest = createHash('sha256')
  for (const file of ['compose.mjs', 'portraits.mjs']) digest.update(readFileSync(join(import.meta.dirname, file)))
  for (const shot of shots) {
    digest.update(JSON.stringify([shot.seed, shot.posters]))
    for (let index = 0; index < framesOf(shot); index += 1)
      digest.update(JSON.stringify([panOf(shot, index / fps), shot.heads(index / fps)]))
  }
  return digest.digest('hex')
}

/** @param {string} made folder for what is made @param {readonly Scene[]} scenes @returns {Promise<{ name: string, path: string, truth: Truth }[]>} */
export async function makeVideos(made, scenes) {
  mkdirSync(made, { recursive: true })
  const portraits = await loadPortraits()
  const videos = []
  for (const scene of scenes) {
    const path = join(made, `${scene.name}.mp4`)
    const keyPath = join(made, `${scene.name}.key`)
    videos.push({ name: scene.name, path, truth: truthOf(scene) })
    const key = keyOf(scene)
    if (existsSync(keyPath) && readFileSync(keyPath, 'utf8') === key) continue
    const plan = scene.shots.flatMap((shot) => Array.from({ length: framesOf(shot) }, (_, index) => ({ shot, index })))
    /** @type {{ shot: Shot | null, picture: import('../quality/judges.mjs').Picture }} */
    let behind = { shot: null, picture: { data: new Uint8Array(), width: 0, height: 0 } }
    await record(path, { ...size, frames: plan.length }, ({ frame }, at) => {
      const { shot, index } = plan[at] ?? {}
      if (!shot || index === undefined) return
      if (behind.shot !== shot) {
        behind = { shot, picture: wall(shot.seed, wallSize.width, wallSize.height) }
        for (const poster of shot.posters ?? []) {
          const portrait = portraits.get(poster.portrait)
          if (portrait) headOnWall(behind.picture, portrait, poster)
        }
      }
      drawWall(frame, behind.picture, ...panOf(shot, index / fps))
      for (const head of shot.heads(index / fps)) {
        const portrait = portraits.get(head.portrait)
        if (portrait) drawHead(frame, portrait, head)
      }
    })
    writeFileSync(keyPath, key)
  }
  return videos
}

/** Joins videos, again and again, until they are long enough. @param {string} path @param {readonly { path: string, truth: Truth }[]} videos @param {number} seconds @returns {Truth} */
export function joinVideos(path, videos, seconds) {
  const chosen = []
  /** @type {TrueFace[][]} */
  const frames = []
  for (let at = 0; frames.length < seconds * fps; at += 1) {
    const video = videos[at % videos.length]
    if (!video) break
    chosen.push(video)
    frames.push(...video.truth.frames)
  }
  const list = `${path}.txt`
  writeFileSync(list, chosen.map((video) => `file '${video.path}'\n`).join(''))
  ffmpeg('-f', 'concat', '-safe', '0', '-i', list, '-map', '0:v', '-c', 'copy', path)
  return { fps, frames }
}
