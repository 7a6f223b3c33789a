/** @file 100,000 damaged answers through the client's readers: `{answers, readable, wrong, slowestMs}`. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'

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
const report = readMutated(100_000, 7)
process.stdout.write(`${JSON.stringify({ ...report, slowestMs: Math.round(report.slowestMs) })}\n`)
process.exit(report.wrong.length === 0 && report.slowestMs < 1000 ? 0 : 1)
