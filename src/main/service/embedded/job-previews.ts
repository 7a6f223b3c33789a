/** @file Preview pictures of a running job: a frame before and after, copied from the engine's folder. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Number of previews kept: the newest, and the one that a client may be about to fetch. */
const kept = 2
const pictures = ['before', 'after'] as const
/** The footage's cover: the first "before" picture. */
const footageCover = join('footage', 'cover.jpg')

const fileName = (picture: string, frame: number): string => `${picture}-${String(frame)}.jpg`

/** Handles one job at a time. */
export class Previews {
  private frames: number[] = []
  private taking = Promise.resolve()

  /** @param remove never rejects */
  constructor(private readonly remove: (path: string) => Promise<void>) {}

  /**
   * Copies the newest pictures from `work` to `folder`, because the engine overwrites them. Calls `onTaken` when they
   * are there. Failures are ignored: the next preview replaces this one.
   */
  take(work: string, folder: string, frame: number | null, onTaken: (frame: number) => void): void {
    if (frame === null) return
    this.taking = this.taking.then(async () => {
      if (this.frames.includes(frame)) return
      try {
        for (const picture of pictures)
          await copyFile(join(work, `${picture}.jpg`), join(folder, fileName(picture, frame)))
        if (this.frames.length === 0) await copyFile(join(work, 'before.jpg'), join(folder, footageCover))
      } catch {
        // Drop incomplete pairs.
        await this.drop(folder, [frame])
        return
      }
      this.frames.push(frame)
      onTaken(frame)
      await this.drop(folder, this.frames.splice(0, this.frames.length - kept))
    })
  }

  /** Removes all previews after pending copies. */
  async clear(folder: string): Promise<void> {
    await this.taking
    await this.drop(folder, this.frames.splice(0))
  }

  private async drop(folder: string, frames: readonly number[]): Promise<void> {
    for (const frame of frames)
      for (const picture of pictures) await this.remove(join(folder, fileName(picture, frame)))
  }
}
