/**
 * @file Proofs: swaps the hardest parts of a video on this computer, one after the other, so that the first can be seen
 * while the next is made. A proof isn't a task: it isn't stored in the library, and its files are removed when it ends.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MienError, toErrorBody } from '@shared/errors.ts'
import { InFlight } from '@shared/in-flight.ts'
import { chooseParts, type ProofMoment, type ProofState } from '@shared/people/proof.ts'
import type { VideoPeople } from '@shared/people/people.ts'
import { draftSchema, embeddedProfileId, type Draft } from '@shared/tasks/task.ts'
import { privateMode } from '../../machine/disk/data-folder.ts'
import { nameDiskFull } from '../../machine/disk/disk-errors.ts'
import { defaultOutput } from '@shared/options/default-options.ts'
import type { EnginePort, SwapJob } from '../../engine/host/engine-host.ts'
import type { MediaStore } from '../../media/media-store.ts'
import { readDraft, type DraftContent } from '../drafts.ts'
import type { Log } from '../../machine/log/log.ts'
import type { PeopleService } from '../../media/people/people-service.ts'

interface ProofServiceDeps {
  media: MediaStore
  people: Pick<PeopleService, 'cast' | 'of' | 'complete'>
  engine: EnginePort
  /** Folder for the files of the current proof; removed with it. */
  dir: string
  log: Log
  /** How long to wait for a scan before what it found so far is used, in ms. */
  waitMs?: number
}

/** A proof that is being made or shown. */
interface Proof {
  abort: AbortController
  /** Temporary media ids of its files. */
  mediaIds: string[]
  done: Promise<void>
}

/** Max time to wait on quit for the engine to stop and for deletions. */
const disposeMs = 3000

export class ProofService {
  private readonly listeners = new Set<(state: ProofState) => void>()
  private readonly inFlight = new InFlight()
  private current: Proof | null = null
  /** Resolves when the last proof has ended and its files are removed. */
  private removed: Promise<void> = Promise.resolve()

  constructor(private readonly deps: ProofServiceDeps) {}

  onChanged(listener: (state: ProofState) => void): void {
    this.listeners.add(listener)
  }

  /**
   * Begins a proof, and ends the previous one. Listeners get its state.
   * @param id names it in its states
   * @throws MienError `bad-argument` (another service, or a picture), the errors of `readDraft`
   */
  begin(id: string, given: Draft): void {
    const draft = draftSchema.parse(given)
    const content = readDraft(draft, this.deps.media, this.deps.people)
    if (draft.profileId !== embeddedProfileId || content.video.kind === 'picture')
      throw new MienError('bad-argument', { field: 'draft', reason: 'Only videos on this computer have a proof.' })
    this.stop()
    const abort = new AbortController()
    const proof: Proof = { abort, mediaIds: [], done: Promise.resolve() }
    const state: ProofState = { id, stage: 'looking', share: 0, moments: [] }
    this.current = proof
    proof.done = this.inFlight.add(this.run(proof, state, content, draft.options)).catch((error: unknown) => {
      if (abort.signal.aborted) return
      this.deps.log('A proof failed', error)
      this.tell({ ...state, error: toErrorBody(nameDiskFull(error)) })
    })
  }

  /** Ends the proof and removes its files, also those that an earlier run of Mien left. */
  stop(): void {
    const proof = this.current
    this.current = null
    proof?.abort.abort()
    for (const id of proof?.mediaIds ?? []) this.deps.media.dropTemporary(id)
    this.removed = this.inFlight.add(
      Promise.all([this.removed, proof?.done])
        .then(() => rm(this.deps.dir, { recursive: true, force: true }))
        .catch((error: unknown) => {
          this.deps.log('The files of a proof could not be removed', error)
        }),
    )
  }

  async dispose(): Promise<void> {
    this.listeners.clear()
    // Without a proof of this process, the files may belong to another one.
    if (this.current) this.stop()
    await this.inFlight.settled(disposeMs)
  }

  private tell(state: ProofState): void {
    for (const listener of this.listeners) listener({ ...state, moments: state.moments.map((one) => ({ ...one })) })
  }

  private async run(
    proof: Proof,
    state: ProofState,
    content: DraftContent,
    options: SwapJob['options'],
  ): Promise<void> {
    const { media, dir } = this.deps
    const { signal } = proof.abort
    this.tell(state)
    await this.removed
    const { video, cast, range } = content
    const found = await this.peopleSoFar(video.id, signal)
    signal.throwIfAborted()
    const personIds = cast.map(({ personId }) => personId)
    const parts = chooseParts(video.durationMs ?? 0, range, found, personIds)
    state.stage = 'swapping'
    state.moments = parts.map((part) => ({ ...part, mediaId: null, coverId: null }))
    this.tell(state)
    let failed: unknown = new MienError('no-face-in-video')
    for (const [number, moment] of [...state.moments].entries()) {
      const folder = join(dir, String(number))
      await mkdir(folder, { recursive: true, mode: privateMode })
      try {
        await this.swap(moment, folder, content, options, signal, (share) => {
          state.share = (number + share) / parts.length
          this.tell(state)
        })
        signal.throwIfAborted()
        const add = (name: string): string => {
          const id = media.addTemporary(join(folder, name))
          proof.mediaIds.push(id)
          return id
        }
        moment.mediaId = add('output.mp4')
        moment.coverId = add('cover.jpg')
      } catch (error) {
        // There may be nobody in this part.
        if (!(error instanceof MienError) || error.code !== 'no-face-in-video') throw error
        failed = error
        state.moments = state.moments.filter((one) => one !== moment)
      }
      signal.throwIfAborted()
      state.share = (number + 1) / parts.length
      if (number + 1 < parts.length) this.tell(state)
    }
    if (state.moments.length === 0) throw failed
    state.stage = 'ready'
    this.tell(state)
  }

  /** The video's people. If the scan takes too long: those it has found so far. */
  private async peopleSoFar(videoId: string, signal: AbortSignal): Promise<VideoPeople> {
    const { people, waitMs = 1500 } = this.deps
    const so = await people.of(videoId)
    if (so.scanned >= 1) return so
    const complete = people.complete(videoId).catch(() => null)
    const found = await Promise.race([complete, delay(waitMs, null, { signal })])
    return found ?? people.of(videoId)
  }

  private async swap(
    { fromMs, toMs }: ProofMoment,
    dir: string,
    { face, pictures, video, cast, clips, range }: DraftContent,
    options: SwapJob['options'],
    signal: AbortSignal,
    onShare: (share: number) => void,
  ): Promise<void> {
    const faces = cast.length > 0 ? cast : [{ personId: null, face, pictures }]
    await this.deps.engine.swap({
      cast: faces.map((one) => ({
        pictures: [one.face, ...one.pictures].map(({ id }) => this.pathOf(id)),
        clips: one.personId === null ? null : (clips?.cast[one.personId] ?? []),
      })),
      stay: clips?.stay ?? [],
      video: this.pathOf(video.id),
      range: { parts: [{ fromMs, toMs }], rest: 'drop' },
      proofOf: { range },
      // A proof shows the faces, in the size of the video.
      options: { ...options, ...defaultOutput, label: null, labelLanguage: null },
      ...{ dir, signal },
      onProgress: ({ framesDone, framesTotal }) => {
        onShare(framesTotal ? framesDone / framesTotal : 0)
      },
    })
  }

  private pathOf(mediaId: string): string {
    const path = this.deps.media.path(mediaId)
    if (path === null) throw new MienError('not-found', { id: mediaId })
    return path
  }
}
