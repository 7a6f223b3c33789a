/** @file Content credentials (C2PA): signs results, and reads the credentials of any file. */
import { open, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { embeddedProfileId, type CredentialsState, type Task } from '@shared/tasks/task.ts'
import type { Verification } from '@shared/files/verification.ts'
import { fileFailure } from '../machine/disk/disk-errors.ts'
import { typeOfFile } from '../machine/disk/files.ts'
import type { ResultSigner } from './result-signer.ts'
import { C2paFailure, UnfitFile, type C2paThread } from './c2pa-thread.ts'
import { nothingRead, readReport } from './read-report.ts'
import type { SigningIdentity } from './signing-identity.ts'
import { frameStatementOf, statementOf, type Statement } from './statement.ts'
import { readableTypes, signableTypes } from './worker-contract.ts'

interface CredentialsDeps {
  thread: Pick<C2paThread, 'run' | 'dispose'>
  identity: Pick<SigningIdentity, 'signer' | 'known'>
  media: { path: (id: string) => string | null; sha256: (id: string) => string | null }
  settings: () => { isOn: boolean; withNames: boolean; isRequired: boolean }
  serviceName: (profileId: string) => string
  /** Of Mien. */
  version: string
  /** Name of the operating system. */
  system: string
  log: (message: string, error?: unknown) => void
  now: () => number
}

type Signing = Parameters<ResultSigner['sign']>[0]

interface Writing {
  source: string
  target: string
  statement: Statement
  /** Null: it isn't there. */
  parentPath: string | null
  /** Of the parent, for the log. */
  name: string
  signal?: AbortSignal
}

export class Credentials implements ResultSigner {
  readonly #deps: CredentialsDeps

  constructor(deps: CredentialsDeps) {
    this.#deps = deps
  }

  /** @throws MienError `not-signed` if signing is required and fails; file system errors, the reason of `signal` */
  sign(signing: Signing): Promise<CredentialsState> {
    return this.#asChosen(signing.task, () => this.#sign(signing))
  }

  /** Writes a signed copy of a picture that is a frame of a result. @throws as `sign` */
  signFrame(task: Task, result: string, source: string, target: string): Promise<CredentialsState> {
    const { settings, version, system, now } = this.#deps
    const statement = frameStatementOf(task, { version, system, now: now(), withNames: settings().withNames })
    return this.#asChosen(task, () => this.#write({ source, target, statement, parentPath: result, name: task.title }))
  }

  /** Does nothing if credentials are off. Fails if they are required and signing isn't possible. */
  async #asChosen({ title }: Task, work: () => Promise<CredentialsState>): Promise<CredentialsState> {
    const { isOn, isRequired } = this.#deps.settings()
    if (!isOn) return 'off'
    const state = await work()
    if (state !== 'signed' && isRequired) throw new MienError('not-signed', { name: title, reason: state })
    return state
  }

  async #sign({ task, result, source, target, change, signal }: Signing): Promise<CredentialsState> {
    const { thread, media, settings, serviceName, version, system, now } = this.#deps
    // Check this first: hashing the input takes long.
    if (signableTypes[(await typeOf(source)) ?? ''] === undefined) return 'unsupported'
    const service = task.profileId === embeddedProfileId ? null : serviceName(task.profileId)
    const known = media.path(task.video.id)
    const input = known !== null && (await hasSize(known, task.video.sizeBytes)) ? known : null
    // A drive may have been removed; the statement is then without the hash.
    const targetSha256 =
      input === null ? null : await thread.run({ kind: 'hash', path: input }, signal).catch(() => null)
    signal.throwIfAborted()
    const statement = statementOf(task, result, {
      ...{ version, system, now: now(), withNames: settings().withNames, service, targetSha256 },
      sha256Of: (id) => media.sha256(id),
      change: change ?? null,
    })
    const parentPath = service === null ? input : source
    return this.#write({ source, target, statement, parentPath, name: task.video.name, signal })
  }

  async #write({ source, target, statement, parentPath, name, signal }: Writing): Promise<CredentialsState> {
    const { thread, identity, log } = this.#deps
    const type = signableTypes[(await typeOf(source)) ?? '']
    if (type === undefined) return 'unsupported'
    const { definition, parent, inputs } = statement
    try {
      const parentType = parentPath === null ? undefined : readableTypes[(await typeOf(parentPath)) ?? '']
      const format = parentType ?? 'application/octet-stream'
      const signer = await identity.signer()
      const used = { path: parentType === undefined ? null : parentPath, type: format, json: { ...parent, format } }
      const { parentBroken } = await thread.run(
        { kind: 'sign', source, target, type, definition, parent: used, inputs, signer },
        signal,
      )
      if (parentBroken) log(`The credentials in “${name}” are broken, so they are not in its result`)
      return 'signed'
    } catch (error) {
      await rm(target, { force: true })
      signal?.throwIfAborted()
      if (error instanceof UnfitFile) return 'unsupported'
      // Rethrow errors of the file system, such as a full disk or a removed drive.
      if (error instanceof Error && 'code' in error && !(error instanceof MienError)) throw error
      log('A result could not be signed', error)
      return 'failed'
    }
  }

  /**
   * Reads a file's credentials, without using the network.
   * @throws MienError codes of `fileFailure`, the reason of `signal`
   */
  async verify(path: string, signal?: AbortSignal): Promise<Verification> {
    const { thread, identity, log } = this.#deps
    try {
      const { size } = await stat(path)
      const name = await typeOf(path)
      const file = { name: basename(path), sizeBytes: size, type: name }
      const type = readableTypes[name ?? '']
      if (type === undefined) return { file, ...nothingRead('unsupported') }
      try {
        const known = await identity.known()
        const { report, broken } = await thread.run({ kind: 'read', path, type, known }, signal)
        if (report !== null) return { file, ...readReport(report) }
        return { file, ...nothingRead(broken ? 'broken' : (await hasMark(path, size)) ? 'stripped' : 'none') }
      } catch (error) {
        if (!(error instanceof C2paFailure)) throw error
        log('The credentials of a file could not be read', error)
        return { file, ...nothingRead('broken') }
      }
    } catch (error) {
      signal?.throwIfAborted()
      const { code, details } = fileFailure(error)
      throw new MienError(code, { ...details, name: basename(path) }, { cause: error })
    }
  }

  async stateOf(path: string): Promise<CredentialsState> {
    const { verdict } = await this.verify(path)
    return verdict === 'unchanged' ? 'signed' : 'off'
  }

  dispose(): Promise<void> {
    return this.#deps.thread.dispose()
  }
}

/** How much of a file is searched for a mark, at either end. */
const searched = 1024 * 1024

/** Whether XMP in the file says that Mien made it. */
async function hasMark(path: string, size: number): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    for (const position of new Set([0, Math.max(0, size - searched)])) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(searched), 0, searched, position)
      if (buffer.subarray(0, bytesRead).includes('<xmp:CreatorTool>Mien<')) return true
    }
    return false
  } finally {
    await file.close()
  }
}

/** Common name of a file's type; null: unknown. */
const typeOf = async (path: string): Promise<string | null> => (await typeOfFile(path))?.name ?? null

const hasSize = (path: string, sizeBytes: number | null): Promise<boolean> =>
  stat(path).then(
    (facts) => facts.isFile() && (sizeBytes === null || facts.size === sizeBytes),
    () => false,
  )
