/**
 * @file Compiles the engine's pixel loops to WebAssembly with clang and lld 14 (Debian: `clang-14 lld-14`). The result
 * is committed, so that other developers need no compiler. It contains the SHA-256 of its sources, which a test checks.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Failure, inRoot, main } from './lib/run.mjs'

const folder = inRoot('src', 'renderer', 'engine', 'kernels')
const flags = ['--target=wasm32', '-O3', '-fno-unroll-loops', '-msimd128', '-mbulk-memory', '-mnontrapping-fptoint']
flags.push('-ffreestanding', '-nostdlib', '-ffp-contract=off', '-Wall', '-Wextra', '-Werror')
for (const option of ['--no-entry', '--strip-all', '--export=__heap_base', '-zstack-size=4096']) {
  flags.push(`-Wl,${option}`)
}

await main(async () => {
  const sources = readdirSync(folder)
    .filter((name) => /\.[ch]$/.test(name))
    .sort()
  const to = `${folder}/kernels.wasm`
  const compiled = sources.filter((name) => name.endsWith('.c')).map((name) => `${folder}/${name}`)
  const { status, stderr } = spawnSync('clang-14', [...flags, '-o', to, ...compiled], { encoding: 'utf8' })
  if (status !== 0) throw new Failure(`clang-14 could not compile ${folder}:\n${stderr}`)
  const digest = createHash('sha256')
  for (const name of sources) digest.update(readFileSync(`${folder}/${name}`))
  // A custom section (WebAssembly core specification, 5.5.3): id 0, size, length of the name, name, contents.
  const name = Buffer.from('source')
  const section = Buffer.concat([Buffer.from([0, 1 + name.length + 32, name.length]), name, digest.digest()])
  writeFileSync(to, Buffer.concat([readFileSync(to), section]))
  return 0
})
