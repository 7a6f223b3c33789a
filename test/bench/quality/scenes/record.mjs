/** @file Writes drawn frames into a video, and what stands in front of the face into a second one, as a mask. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** @typedef {import('../judges.mjs').Picture} Picture */
/** @typedef {{ frame: Picture, mask: Uint8Array }} Canvas mask: 255 where something is in front of the face */

const fps = 25

/** @param {string[]} input @param {string[]} output @param {string} path */
function encoder(input, output, path) {
  const args = ['-v', 'error', '-y', '-threads', '1', '-f', 'rawvideo', '-r', String(fps), ...input, ...output, path]
  return spawn('ffmpeg', args, { stdio: ['pipe', 'inherit', 'inherit'] })
}

/**
 * @param {string} path of the video; the mask goes beside it, `-mask.mkv`, when there is one
 * @param {{ width: number, height: number, frames: number, masked?: boolean }} shape
 * @param {(canvas: Canvas, index: number) => void} draw every frame anew
 */
export async function record(path, { width, height, frames, masked = false }, draw) {
  const size = ['-s', `${width}x${height}`]
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=330:duration=${frames / fps}`, '-c:a', 'aac', '-b:a', '64k']
  const range = ['-vf', 'scale=out_color_matrix=bt709:out_range=tv', '-pix_fmt', 'yuv420p']
  const tags = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv']
  const video = encoder(
    [...size, '-pix_fmt', 'rgb24', '-i', '-'],
    [...tone, ...range, ...tags, '-c:v', 'libx264', '-preset', 'veryfast', '-crf', '12'],
    path,
  )
  const maskPath = path.replace(/\.mp4$/, '-mask.mkv')
  const mask = masked && encoder([...size, '-pix_fmt', 'gray', '-i', '-'], ['-c:v', 'ffv1'], maskPath)
  for (let index = 0; index < frames; index += 1) {
    const canvas = {
      frame: { data: new Uint8Array(width * height * 3), width, height },
      mask: new Uint8Array(width * height),
    }
    draw(canvas, index)
    await written(video, canvas.frame.data)
    if (mask) await written(mask, canvas.mask)
  }
  await Promise.all([video, ...(mask ? [mask] : [])].map(ended))
}

/** @param {import('node:child_process').ChildProcess} child @param {Uint8Array} bytes */
async function written(child, bytes) {
  if (child.stdin && !child.stdin.write(bytes)) await once(child.stdin, 'drain')
}

/** @param {import('node:child_process').ChildProcess} child */
async function ended(child) {
  child.stdin?.end()
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}`)
}
