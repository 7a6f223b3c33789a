/**
 * @file Checks how much code the first window waits for: what main loads before it, and the scripts of its page. Whoever
 * needs more raises a limit here on purpose; in a new profile, 100 KB cost about 25 ms of processor time.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, outDir } from './build.mjs'
import { main } from './lib/run.mjs'

/** KB of JavaScript. */
const limits = { main: 420, page: 640 }

/** The file and all that it imports, without what it loads on demand. @param {string} file @returns {Set<string>} */
function withImports(file, known = new Set()) {
  if (known.has(file)) return known
  known.add(file)
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
    /(?:\bimport|\bfrom)\s*["'](\.{1,2}\/[^"']+\.js)["']/g,
  ))
    withImports(join(file, '..', name), known)
  return known
}

await main(async () => {
  await ensureBuilt()
  const html = readFileSync(join(outDir, 'renderer', 'studio', 'index.html'), 'utf8')
  const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(html) ?? []
  const files = {
    main: withImports(join(outDir, 'main/chunks/start-window.js'), withImports(join(outDir, 'main/index.js'))),
    page: withImports(join(outDir, 'renderer/studio', script)),
  }
  let failed = 0
  for (const name of /** @type {const} */ (['main', 'page'])) {
    const kb = Math.round([...files[name]].reduce((sum, file) => sum + statSync(file).size, 0) / 1000)
    if (kb > limits[name]) failed += 1
    process.stdout.write(`${name}: ${kb} KB of ${limits[name]} KB before the first window\n`)
  }
  return failed > 0 ? 1 : 0
})
