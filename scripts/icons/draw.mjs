/**
 * @file Renders an SVG at several sizes in Electron. scripts/icons.mjs starts it with these arguments: the SVG, a
 * folder for `<name>.rgba` files (straight alpha, top down), and `name:size:margin` for each picture (margin: the free
 * share of the side length on each edge).
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
  // With an explicit size, the SVG is rendered as a vector at that size instead of scaled as pixels.
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
