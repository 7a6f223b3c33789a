/**
 * @file What content credentials cost: time, size and memory of signing and checking, for the sample video, a picture,
 * and a video of 4 GB; and their share in a swap of the sample. `--gb N` for another size.
 */
import { closeSync, copyFileSync, ftruncateSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runMien } from '../fixtures/command.ts'
import { sample } from '../fixtures/clip.ts'
import { C2paThread } from '../../src/main/provenance/c2pa-thread.ts'
import { makeChain } from '../../src/main/provenance/make-chain.ts'
import { statementOf } from '../../src/main/provenance/statement.ts'
import { numberOf, report, round, workFolder } from './lib/harness.mjs'
import { median } from './quality/numbers.mjs'

/** Share of a swap that signing takes. */
const max = 0.03
const gb = numberOf('--gb', 4.2)
const dir = workFolder('credentials')

/** Writes the sample's video with more media, which no track refers to. */
function largeVideo(/** @type {string} */ path, /** @type {number} */ bytes) {
  copyFileSync(sample.video, path)
  const file = openSync(path, 'r+')
  const { size } = statSync(path)
  const head = Buffer.alloc(16)
  head.writeUInt32BE(1)
  head.write('mdat', 4)
  head.writeBigUInt64BE(BigInt(bytes), 8)
  writeSync(file, head, 0, head.length, size)
  ftruncateSync(file, size + bytes)
  closeSync(file)
}

/** Runs `work` several times. @template T @param {() => Promise<T>} work @param {number} times */
async function measure(work, times) {
  const took = []
  let peak = 0
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
  const before = process.memoryUsage.rss()
  for (let run = 0; run < times; run += 1) {
    const began = performance.now()
    await work()
    took.push(performance.now() - began)
  }
  clearInterval(watch)
  return { ms: Math.round(median(took)), peakMB: Math.round(Math.max(0, peak - before) / 1e6) }
}

/** @type {any} */
const face = { id: 'face', name: 'face.jpg' }
/** @type {any} */
const task = {
  ...{ title: 'A swap', face, pictures: [], cast: [], consents: [], range: null },
  ...{ video: { kind: 'video', name: 'video.mp4' }, options: { likeness: 65, size: null } },
}

/** @type {Record<string, { ms: number, peakMB: number, bytes?: number }>} */
const figures = {}
const large = join(dir, 'large.mp4')
largeVideo(large, Math.round(gb * 1e9))
const target = join(dir, 'signed')
const thread = new C2paThread({
  script: fileURLToPath(new URL('../../src/main/provenance/worker.ts', import.meta.url)),
  wasm: fileURLToPath(import.meta.resolve('@contentauth/c2pa-wasm/c2pa.wasm')),
})
const signer = await makeChain()
for (const [name, source, type, times] of /** @type {[string, string, string, number][]} */ ([
  ['video', sample.video, 'video/mp4', 9],
  ['picture', sample.face, 'image/jpeg', 9],
  ['large', large, 'video/mp4', 1],
])) {
  const sign = async () => {
    const targetSha256 = await thread.run({ kind: 'hash', path: source })
    const { definition, parent, inputs } = statementOf(task, null, {
      ...{ version: '1.0.0', system: 'Linux', now: Date.now(), withNames: true, service: null, targetSha256 },
      ...{ sha256Of: () => 'ab'.repeat(32), change: null },
    })
    const used = { path: source, type, json: { ...parent, format: type } }
    await thread.run({ kind: 'sign', source, target, type, definition, parent: used, inputs, signer })
  }
  if (times > 1) await sign()
  figures[`sign ${name}`] = { ...(await measure(sign, times)), bytes: statSync(target).size - statSync(source).size }
  figures[`check ${name}`] = await measure(async () => {
    const { report } = await thread.run({ kind: 'read', path: target, type, known: '' })
    if (JSON.parse(report ?? '{}').validation_state !== 'Valid') throw new Error(`${name} isn’t valid`)
  }, times)
  rmSync(target)
}
await thread.dispose()
const out = join(dir, 'out.mp4')
const began = performance.now()
const { code, stderr } = await runMien(
  ['swap', '--face', sample.face, '--target', sample.video, '--out', out, '--data-dir', join(dir, 'data')],
  { cwd: dir },
)
if (code !== 0) throw new Error(stderr)
figures['whole swap'] = { ms: Math.round(performance.now() - began), peakMB: 0 }
const share = (figures['sign video']?.ms ?? 0) / (figures['whole swap']?.ms ?? 1)
report({ gb, figures, share: round(share, 3), max }, share <= max)
