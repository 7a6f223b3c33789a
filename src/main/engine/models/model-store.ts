/**
 * @file The user's models: `<id>.onnx` and its record `<id>.json`. A model is there when its record is there.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ModelCheck } from '@shared/engine/engine.ts'
import { MienError, withDetails } from '@shared/errors.ts'
import { Turns } from '@shared/turns.ts'
import { removeFile, replaceFile, type FreeBytes, syncNames } from '../../machine/disk/files.ts'
import { privateMode } from '../../machine/disk/data-folder.ts'
import { onDisk, checkReadable } from '../../machine/disk/disk-errors.ts'
import { copyHashed } from '../../machine/transfer/copy-hashed.ts'
import { saveStream, type SaveOptions } from '../../machine/transfer/save-stream.ts'
import { licenceOf, readManifest } from './manifest.ts'
import { freeName, modelRecordSchema, type ModelRecord } from './model-record.ts'
import { readOnnxGraph } from './onnx-graph.ts'
import { recogniseModel } from './recognise-model.ts'

interface ModelStoreDeps {
  dir: string
  now: () => number
  log: (message: string, error?: unknown) => void
  freeBytes?: FreeBytes
}

/** `changed`, `missing`: another program changed or removed the copy. It has to be added again. */
export interface StoredModel extends ModelRecord {
  state: 'ready' | 'changed' | 'missing'
}

interface AddOptions {
  /** The user knows that an unknown licence allows the use. */
  confirmed: boolean
  onProgress?: SaveOptions['onProgress']
}

/** Names of files that an unfinished `add` or `remove` may leave. */
const ours = /^(?:[0-9a-f]{64}\.onnx|[0-9a-f]{64}\.json\.part|[0-9a-f-]{36}\.part)$/
const recordName = /^([0-9a-f]{64})\.json$/

export class ModelStore {
  private readonly abort = new AbortController()
  private readonly turns = new Turns()

  constructor(private readonly deps: ModelStoreDeps) {}

  /** Path of a model's copy. */
  path(id: string): string {
    return join(this.deps.dir, `${id}.onnx`)
  }

  /** By name. A record that can't be read is left out and logged; its model can be added again. */
  async list(): Promise<StoredModel[]> {
    const found: StoredModel[] = []
    for (const name of await this.names()) {
      const id = recordName.exec(name)?.[1]
      const record = id === undefined ? null : await this.read(id)
      if (record) found.push({ ...record, state: await this.stateOf(record) })
    }
    return found.sort((a, b) => a.name.localeCompare(b.name))
  }

  /**
   * Copies a model into the data folder. A model that is there already keeps its name; its copy is written anew.
   * @throws MienError with the file's name: `model-unreadable`, `model-unknown`, `model-manifest`, `file-missing`,
   * `file-is-folder`, `file-unreadable`, `file-unreachable`, `file-empty`, `file-changed`, `disk-full`, as
   * `saveFailure`, `cancelled`
   */
  add(path: string, options: AddOptions): Promise<StoredModel> {
    return this.change(() =>
      this.copy(path, options).catch((error: unknown) => {
        throw withDetails(error, { name: basename(path) })
      }),
    )
  }

  /** The user has confirmed that the licence allows the use. */
  confirmLicence(id: string): Promise<void> {
    return this.change(async () => {
      const record = await this.read(id)
      if (!record) throw new MienError('not-found')
      await this.write({ ...record, licence: { ...record.licence, confirmedAt: this.deps.now() } })
    })
  }

  /** @throws MienError `not-found` */
  setCheck(id: string, check: ModelCheck): Promise<StoredModel> {
    return this.change(async () => {
      const record = await this.read(id)
      if (!record) throw new MienError('not-found')
      await this.write({ ...record, check })
      return { ...record, check, state: await this.stateOf(record) }
    })
  }

  remove(id: string): Promise<void> {
    return this.change(async () => {
      for (const end of ['json', 'onnx']) {
        const path = join(this.deps.dir, `${id}.${end}`)
        await onDisk(removeFile(path), path)
      }
      await syncNames(this.deps.dir)
    })
  }

  /** Stops a running `add` and waits for it. */
  async dispose(): Promise<void> {
    this.abort.abort()
    await this.change(() => undefined)
  }

  /** One change at a time. */
  private change<T>(work: () => T | Promise<T>): Promise<T> {
    return this.turns.run('', work)
  }

  private async copy(path: string, { confirmed, onProgress }: AddOptions): Promise<StoredModel> {
    const fileName = basename(path)
    await checkReadable(path)
    const manifest = await readManifest(path)
    // Refuses what can't be used before it is copied.
    recogniseModel({ graph: await readOnnxGraph(path), fileName, manifest })
    const { dir, now } = this.deps
    await onDisk(mkdir(dir, { recursive: true, mode: privateMode }), dir)
    await this.sweep()
    const part = join(dir, `${randomUUID()}.part`)
    try {
      const { signal } = this.abort
      const { sha256: id } = await copyHashed(path, part, { signal, onProgress, freeBytes: this.deps.freeBytes })
      // From the copy, because the file may have changed since.
      const spec = recogniseModel({ graph: await readOnnxGraph(part), fileName, manifest })
      const models = await this.list()
      const old = models.find((each) => each.id === id)
      // A swap may be using it.
      if (old?.state === 'ready') await removeFile(part)
      else await onDisk(replaceFile(part, this.path(id)), part)
      const { size, mtimeMs } = await stat(this.path(id))
      const taken = models.map(({ name }) => name)
      const licence = licenceOf(fileName, manifest)
      const confirmedAt = licence.id === 'unknown' && confirmed ? now() : null
      const record: ModelRecord = {
        ...{ version: 1, id, name: old?.name ?? freeName(fileName, taken), fileName },
        ...{ sizeBytes: size, modifiedMs: mtimeMs, addedAt: old?.addedAt ?? now(), spec },
        recogniser: (manifest?.role === 'swapper' ? manifest.recogniser : null) ?? null,
        licence: { ...licence, confirmedAt: old?.licence.confirmedAt ?? confirmedAt },
        check: old?.check ?? null,
      }
      await this.write(record)
      return { ...record, state: 'ready' }
    } catch (error) {
      await removeFile(part)
      throw error
    }
  }

  /** Removes what a crash left behind. */
  private async sweep(): Promise<void> {
    const names = new Set(await this.names())
    for (const name of names)
      if (ours.test(name) && !names.has(name.replace(/\.[a-z]+$/, '.json'))) await removeFile(join(this.deps.dir, name))
  }

  private async names(): Promise<string[]> {
    return readdir(this.deps.dir).catch((error: unknown) => {
      // Every swap asks for the models, so a folder that can't be read must not stop those of the built-in method.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
        this.deps.log('The models can’t be listed', error)
      return []
    })
  }

  private async read(id: string): Promise<ModelRecord | null> {
    try {
      const record = modelRecordSchema.parse(JSON.parse(await readFile(join(this.deps.dir, `${id}.json`), 'utf8')))
      return record.id === id ? record : null
    } catch (error) {
      this.deps.log(`The record of the model ${id.slice(0, 8)} can't be read`, error)
      return null
    }
  }

  private async write(record: ModelRecord): Promise<void> {
    const path = join(this.deps.dir, `${record.id}.json`)
    const part = `${path}.part`
    const bytes = Buffer.from(JSON.stringify(record, null, 2))
    await saveStream([bytes], part, { total: bytes.length, sync: true, freeBytes: this.deps.freeBytes })
    await onDisk(replaceFile(part, path), path)
    await syncNames(this.deps.dir)
  }

  private async stateOf({ id, sizeBytes, modifiedMs }: ModelRecord): Promise<StoredModel['state']> {
    const file = await stat(this.path(id)).catch(() => null)
    if (!file?.isFile()) return 'missing'
    return file.size === sizeBytes && file.mtimeMs === modifiedMs ? 'ready' : 'changed'
  }
}
