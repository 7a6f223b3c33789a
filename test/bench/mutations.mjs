/** @file 100,000 damaged answers through the client's readers: `{answers, readable, wrong, slowestMs}`. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { report } from './report.mjs'

const root = join(import.meta.dirname, '../..')
const outDir = join(root, '.cache/bench-mutations')
await build({
  configFile: false,
  logLevel: 'error',
  root,
  resolve: { alias: { '@shared': join(root, 'src/shared') } },
  ssr: { noExternal: true },
  build: {
    ssr: join(root, 'test/fault/mutations.ts'),
    outDir,
    emptyOutDir: true,
    rollupOptions: { output: { format: 'es', entryFileNames: 'main.mjs' } },
  },
})
const { readMutated } = await import(pathToFileURL(join(outDir, 'main.mjs')).href)
const found = readMutated(100_000, 7)
report({ ...found, slowestMs: Math.round(found.slowestMs) }, found.wrong.length === 0 && found.slowestMs < 1000)
process.exit()
