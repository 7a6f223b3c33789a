/** @file Makes the scenes' videos, once; again when what makes them has changed. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { astronaut, monaLisa } from './portraits.mjs'
import { record } from './record.mjs'

/** @typedef {import('./clean-clips.mjs').Scene} Scene */

/** @param {string} made folder for what is made */
export async function makeScenes(made) {
  mkdirSync(made, { recursive: true })
  const portraits = { astronaut: await astronaut(made), mona: await monaLisa(made) }
  const digest = createHash('sha256')
  for (const file of readdirSync(import.meta.dirname).sort()) {
    digest.update(readFileSync(join(import.meta.dirname, file)))
  }
  const makers = digest.digest('hex')
  /** @param {Scene} scene */
  const make = async (scene) => {
    const { name, frames, masked = false } = scene
    const path = join(made, `${name}.mp4`)
    const maskPath = masked ? join(made, `${name}-mask.mkv`) : null
    const keyPath = join(made, `${name}.key`)
    if (!existsSync(keyPath) || readFileSync(keyPath, 'utf8') !== makers) {
      await record(path, { width: 960, height: 540, frames, masked }, (canvas, index) => {
        scene.draw(canvas, portraits, scene.pose(portraits, index), index)
      })
      writeFileSync(keyPath, makers)
    }
    return { path, maskPath }
  }
  return { portraits, make }
}
