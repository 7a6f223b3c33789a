/** @file The least Electron app there is, to hold Mien's start against. The data folder is the last argument. */
import { join } from 'node:path'
import { app, BrowserWindow } from 'electron'

app.setPath('userData', process.argv.at(-1) ?? '')
app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 800, show: false })
  window.once('ready-to-show', () => window.show())
  window.on('page-title-updated', (_event, title) => {
    if (title === 'Painted') process.stdout.write('HELLO_READY\n')
  })
  void window.loadFile(join(import.meta.dirname, 'index.html'))
})
