/** @file The targets of the grid in which there is no face. Main searches those on whose cover no face was seen. */
import type { Bridge } from '@shared/ipc/contract.ts'
import type { VideoMedia } from '@shared/tasks/task.ts'
import type { VideoPeople } from '@shared/people/people.ts'
import { isUnseen } from '@shared/tasks/unseen.ts'
import { hasNobody } from '../../logic/compose/people.ts'

export class Faceless {
  #wanted: ReadonlySet<string> = new Set()
  #found = $state.raw<ReadonlySet<string>>(new Set())

  constructor(private readonly bridge: Bridge['people']) {
    bridge.changed((video) => this.#take(video))
  }

  /** Whether the search in a target has ended without a face. */
  has(videoId: string): boolean {
    return this.#found.has(videoId)
  }

  /** Has these targets searched, and ends the searches of all others. */
  follow(targets: readonly VideoMedia[]): void {
    const before = this.#wanted
    this.#wanted = new Set(
      targets.filter((target) => target.faces.length === 0 && !isUnseen(target)).map(({ id }) => id),
    )
    this.#found = new Set([...this.#found].filter((id) => this.#wanted.has(id)))
    for (const videoId of before)
      if (!this.#wanted.has(videoId)) void this.bridge.stop({ videoId }).catch(() => undefined)
    for (const videoId of this.#wanted) if (!before.has(videoId)) void this.#search(videoId)
  }

  /** If a search fails, the target may have a face. */
  async #search(videoId: string): Promise<void> {
    const video = await this.bridge.of({ videoId }).catch(() => null)
    if (video) this.#take(video)
  }

  #take(video: VideoPeople): void {
    if (this.#wanted.has(video.videoId) && hasNobody(video)) this.#found = new Set([...this.#found, video.videoId])
  }
}
