/**
 * @file Signs files and reads credentials, in a thread of main. The work is done by c2pa-rs, compiled to WebAssembly. It
 * reads files through the web's `Blob` and `FileReaderSync`; here both read from disk, so a file is never in memory as a
 * whole.
 */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { WasmBuilder, WasmReader, initSync } from '@contentauth/c2pa-wasm'
import { coseSign1, coseSize } from './cose.ts'
import { UnfitMp4, bmffHash, embedInMp4 } from './mp4-manifest.ts'
import type { Answer, Job, ReadJob, Results, SignJob } from './worker-contract.ts'

const maxRead = 4 * 1024 * 1024

/** A part of an open file or of bytes. */
class Part {
  readonly from: number | Uint8Array
  readonly start: number
  readonly end: number

  constructor(from: number | Uint8Array, start: number, end: number) {
    this.from = from
    this.start = start
    this.end = end
  }

  get size(): number {
    return this.end - this.start
  }

  /** At most `maxRead` bytes: the library asks for 256 MB at a time, and a stream may give less than it is asked for. */
  slice(start: number, end: number): Part {
    const from = this.start + start
    return new Part(this.from, from, Math.min(this.end, this.start + end, from + maxRead))
  }
}

class PartReader {
  readAsArrayBuffer({ from, start, size }: Part): ArrayBuffer {
    if (typeof from !== 'number') return Uint8Array.from(from.subarray(start, start + size)).buffer
    const bytes = new Uint8Array(size)
    for (let done = 0; done < size;) {
      const count = readSync(from, bytes, done, size - done, start + done)
      if (count === 0) throw new Error('the file is shorter than it was')
      done += count
    }
    return bytes.buffer
  }
}

Object.assign(globalThis, { FileReaderSync: PartReader })
initSync({ module: workerData as WebAssembly.Module })

/** In the library's format. */
const blob = (part: Part): Blob => part as unknown as Blob
const blobOf = (file: number): Blob => blob(new Part(file, 0, fstatSync(file).size))

const context = JSON.stringify({
  // Verifying the result would double the time, so only tests do it.
  verify: { verify_after_sign: false },
  builder: { thumbnail: { enabled: false } },
})

function withFile<T>(path: string, flags: 'r' | 'w+', work: (file: number) => Promise<T>): Promise<T> {
  const file = openSync(path, flags)
  return work(file).finally(() => {
    closeSync(file)
  })
}

async function sign(job: SignJob): Promise<Results['sign']> {
  const { parent, signer } = job
  const definition = JSON.stringify(job.definition)
  const newBuilder = (): WasmBuilder => {
    const builder = WasmBuilder.fromJson(definition, context)
    builder.setIntent('edit')
    for (const input of job.inputs) builder.addIngredient(JSON.stringify(input))
    return builder
  }
  let builder = newBuilder()
  let parentBroken = false
  const parentJson = JSON.stringify(parent.json)
  const { path, type } = parent
  const isRead =
    path !== null &&
    (await withFile(path, 'r', (file) => builder.addIngredientFromBlob(parentJson, type, blobOf(file))).then(
      () => true,
      () => false,
    ))
  if (!isRead) {
    parentBroken = path !== null
    builder = newBuilder()
    builder.addIngredient(parentJson)
  }
  const definitionOfSigner = {
    sign: (claim: Uint8Array) => Promise.resolve(coseSign1(claim, signer)),
    reserveSize: coseSize(signer),
    alg: signer.algorithm,
  }
  return withFile(job.source, 'r', (source) =>
    withFile(job.target, 'w+', async (target) => {
      const sourceSize = fstatSync(source).size
      if (job.type === 'video/mp4') {
        builder.setNoEmbed(true)
        const archive = builder.toArchive()
        const manifestFor = async (hash: Uint8Array): Promise<Uint8Array> => {
          const made = WasmBuilder.fromArchive(blob(new Part(archive, 0, archive.length)), context)
          made.setIntent('edit')
          made.setNoEmbed(true)
          made.addAssertion('c2pa.hash.bmff.v3', bmffHash(hash))
          // The library would hash the file itself, in memory; with a hash it only needs some file of the type.
          const answer = (await made.signAndGetManifestBytes(definitionOfSigner, [], job.type, standIn)) as {
            manifest: Uint8Array
          }
          return Uint8Array.from(answer.manifest)
        }
        const { length } = await manifestFor(new Uint8Array(32))
        await embedInMp4({ source, sourceSize, target }, length, manifestFor)
      } else {
        const made = await builder.sign(definitionOfSigner, [], job.type, blobOf(source))
        for (let done = 0; done < made.length;) done += writeSync(target, made, done)
      }
      fsyncSync(target)
      return { parentBroken, bytesAdded: fstatSync(target).size - sourceSize }
    }),
  )
}

/** The smallest MP4 file: a type and no media. */
const standIn = ((): Blob => {
  const bytes = Buffer.from('\0\0\0\x10ftypisom\0\0\0\0\0\0\0\x08mdat', 'latin1')
  return blob(new Part(bytes, 0, bytes.length))
})()

/** Nothing is fetched: neither manifests elsewhere nor lists of revoked certificates. */
const readingOf = (known: string): string =>
  JSON.stringify({
    verify: { verify_trust: true, remote_manifest_fetch: false, ocsp_fetch: false },
    ...(known === '' ? {} : { trust: { trust_anchors: known } }),
  })

async function read({ path, type, known }: ReadJob): Promise<Results['read']> {
  return withFile(path, 'r', async (file) => {
    try {
      const reader = await WasmReader.fromBlob(type, blobOf(file), readingOf(known))
      return { report: reader.json(), broken: false }
    } catch (error) {
      // A trap leaves the memory in an unknown state, so the thread has to end.
      if (error instanceof WebAssembly.RuntimeError) throw error
      const isNone = /JumbfNotFound|ProvenanceMissing|UnsupportedType|RemoteManifestUrl/.test(String(error))
      return { report: null, broken: !isNone }
    }
  })
}

async function hash(path: string): Promise<string> {
  return withFile(path, 'r', (file) => {
    const sum = createHash('sha256')
    const buffer = Buffer.allocUnsafe(4 * 1024 * 1024)
    for (;;) {
      const count = readSync(file, buffer)
      if (count === 0) return Promise.resolve(sum.digest('hex'))
      sum.update(buffer.subarray(0, count))
    }
  })
}

function run(job: Job): Promise<Results[keyof Results]> {
  if (job.kind === 'sign') return sign(job)
  return job.kind === 'read' ? read(job) : hash(job.path)
}

const port = parentPort
port?.on('message', (job: Job) => {
  run(job).then(
    (result) => {
      port.postMessage({ result } satisfies Answer)
    },
    (error: unknown) => {
      const isError = error instanceof Error
      const name = error instanceof UnfitMp4 ? 'UnfitMp4' : isError ? error.name : 'Error'
      const message = isError ? error.message : String(error)
      const code = isError && 'code' in error ? String(error.code) : null
      port.postMessage({ failure: { name, message, code } } satisfies Answer)
    },
  )
})
