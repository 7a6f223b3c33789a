/**
 * @file `npm run dev -- [args]`: runs the app from the sources and follows their changes, until it is quit or stopped.
 * The arguments go to Mien and to Electron (`--data-dir D`, `--inspect`, `--remote-debugging-port=9222`).
 */
import { ensureTexts } from './build.mjs'
import { withElectron } from './lib/app.mjs'
import { inRoot, main, run, say, toolNode } from './lib/run.mjs'
import { ensureLicences } from './licences.mjs'
import { setup } from './setup.mjs'

await main(async () => {
  const runtime = await setup()
  await ensureTexts()
  ensureLicences()
  return withElectron(runtime, say, async (env) => {
    // Beside the normal build, which stays as it is. A process of its own: Vite needs the tools' Node.
    const out = process.env['MIEN_OUT'] ?? inRoot('.cache', 'dev')
    const args = [inRoot('scripts', 'dev', 'loop.mjs'), runtime.electron, ...process.argv.slice(2)]
    const { code } = await run(toolNode(), args, {
      cwd: process.cwd(),
      env: { ...env, MIEN_OUT: out },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    return code
  })
})
