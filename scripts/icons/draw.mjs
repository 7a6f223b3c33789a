/**
 * @file Draws an SVG at several sizes with Electron's own renderer. Run by Electron, from scripts/icons.mjs:
 * arguments are the SVG, a folder for `<name>.rgba` files (straight alpha, top down), and `name:size:margin` for each
 * picture (margin: the share of the side left free all round).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { app, BrowserWindow } from 'electron'

const [svgFile = '', folder = '', ...wanted] = process.argv.slice(process.argv.indexOf('--') + 1)
const svg = readFileSync(svgFile, 'utf8')

/** Runs in the page. */
async function draw(/** @type {string} */ text, /** @type {number} */ size, /** @type {number} */ margin) {
  const image = new Image()
  const side = size * (1 - 2 * margin)
  // With a size of its own, the picture is drawn as a vector at that size and not scaled as pixels.
  image.src = `data:image/svg+xml,${encodeURIComponent(text.replace('<svg ', `<svg width="${side}" height="${side}" `))}`
  await image.decode()
  const canvas = new OffscreenCanvas(size, size)
  const context = canvas.getContext('2d')
  if (!context) throw new Error('no canvas')
  context.drawImage(image, size * margin, size * margin, side, side)
  return Array.from(context.getImageData(0, 0, size, size).data)
}

app
  .whenReady()
  .then(async () => {
    const window = new BrowserWindow({ show: false, webPreferences: { sandbox: true, contextIsolation: true } })
    await window.loadURL('data:text/html,<title>icons</title>')
    for (const item of wanted) {
      const [name, size, margin] = item.split(':')
      const call = `(${draw.toString()})(${JSON.stringify(svg)}, ${Number(size)}, ${Number(margin)})`
      writeFileSync(join(folder, `${name}.rgba`), Buffer.from(await window.webContents.executeJavaScript(call)))
    }
    app.exit(0)
  })
  .catch((/** @type {unknown} */ error) => {
    console.error(error)
    app.exit(1)
  })
