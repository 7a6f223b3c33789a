/** @file `npm run -s bench -- NAME [--json]`: runs a benchmark of test/bench. Only the benchmark writes to stdout. */
import { existsSync } from 'node:fs'
import { ensureBuilt } from './build.mjs'
import { Failure, inRoot, main, run, toolEnv, toolNode } from './lib/run.mjs'
import { withKeyring, withScreen } from './lib/screen.mjs'
import { setup } from './setup.mjs'

await main(async () => {
  const [name, ...args] = process.argv.slice(2)
  const script = inRoot('test', 'bench', `${name}.mjs`)
  if (!name || !/^[\w-]+$/.test(name) || !existsSync(script)) {
    throw new Failure(
      'Usage: npm run -s bench -- NAME [--json], where NAME is a file of test/bench: engine, likeness, look, people, quality, kills, life, memory, oddfiles, startup, library, overnight, watch, package, faults, mutations, credentials, cluster.',
    )
  }
  const runtime = await setup({
    virtual: true,
    keyring: true,
    database: name === 'cluster',
    clips: ['engine', 'kills', 'likeness', 'memory', 'oddfiles', 'people', 'quality'].includes(name),
  })
  await ensureBuilt()
  return withScreen({ always: true }, (screen) =>
    withKeyring(async (session) => {
      const env = toolEnv({ ...runtime.env, ...screen, ...session, MIEN_ELECTRON: runtime.electron })
      const { code } = await run(toolNode(), [script, ...args], {
        stdio: ['ignore', 'inherit', 'inherit'],
        detached: true,
        env,
      })
      return code
    }),
  )
})
