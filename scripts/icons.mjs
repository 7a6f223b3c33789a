/**
 * @file `npm run icons`: renders all icons from `resources/icons/mien.svg`. The results are committed, so that
 * packaging needs no screen.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { icns, icnsSizes, ico, png } from './icons/containers.mjs'
import { electronFlags } from './lib/app.mjs'
import { Failure, inRoot, main, run, say, tail, toolEnv } from './lib/run.mjs'
import { withScreen } from './lib/screen.mjs'
import { setup } from './setup.mjs'

const folder = inRoot('resources', 'icons')
const linuxSizes = [16, 24, 32, 48, 64, 128, 256, 512]
const windowsSizes = [16, 20, 24, 32, 40, 48, 64, 256]
/** Apple's icon grid has a margin of about a tenth on each side. On other systems, the tile fills the icon. */
const macMargin = 0.0977

/** Renders one picture per size; `margin` is the free share of the side length on each edge. */
async function draw(/** @type {number[]} */ sizes, /** @type {number} */ margin) {
  const runtime = await setup()
  const temp = mkdtempSync(join(tmpdir(), 'mien-icons-'))
  try {
    const wanted = sizes.map((size) => `${size}:${size}:${margin}`)
    const args = [...electronFlags(), inRoot('scripts', 'icons', 'draw.mjs'), '--']
    const { code, output } = await withScreen({}, (screen) =>
      run(runtime.electron, [...args, join(folder, 'mien.svg'), temp, ...wanted], {
        env: toolEnv({ ...runtime.env, ...screen }),
      }),
    )
    if (code !== 0) throw new Failure(`The icons could not be drawn:\n${tail(output)}`)
    return sizes.map((size) => ({ size, rgba: readFileSync(join(temp, `${size}.rgba`)) }))
  } finally {
    rmSync(temp, { recursive: true, force: true })
  }
}

await main(async () => {
  const full = await draw([...new Set([...linuxSizes, ...windowsSizes])], 0)
  const mac = await draw(icnsSizes, macMargin)
  rmSync(join(folder, 'linux'), { recursive: true, force: true })
  mkdirSync(join(folder, 'linux'))
  for (const picture of full.filter(({ size }) => linuxSizes.includes(size)))
    writeFileSync(join(folder, 'linux', `${picture.size}x${picture.size}.png`), png(picture))
  writeFileSync(join(folder, 'mien.ico'), ico(full.filter(({ size }) => windowsSizes.includes(size))))
  writeFileSync(join(folder, 'mien.icns'), icns(mac))
  say(`Icons drawn into ${folder}`)
})
