/** @file `npm run shots`: drives the real app and writes screenshots to `shots/`. */
import { mkdirSync } from 'node:fs'
import { ensureBuilt } from './build.mjs'
import { inRoot, main, run, say, toolEnv, toolNode } from './lib/run.mjs'
import { withKeyring, withScreen } from './lib/screen.mjs'
import { setup } from './setup.mjs'

await main(async () => {
  const runtime = await setup({ virtual: true, keyring: true })
  await ensureBuilt()
  const folder = inRoot('shots')
  mkdirSync(folder, { recursive: true })
  // Always use Xvfb, so that screenshots have a known size and show nothing of the user's desktop.
  return withScreen({ size: '1400x900', always: true }, (screen) =>
    withKeyring(async (session) => {
      // The app's code has parameter properties, which Node doesn't strip.
      const args = ['--experimental-transform-types', inRoot('test', 'shots', 'shots.ts'), ...process.argv.slice(2)]
      const env = toolEnv({ ...runtime.env, ...screen, ...session, MIEN_SHOTS: folder })
      const { code } = await run(toolNode(), args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true, env })
      if (code === 0) say(`The pictures are in ${folder}`)
      return code
    }),
  )
})
