/** @file The pictures of a swap under way: the frame before and after, copied out of the engine's folder. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Those that stay fetchable: the newest, and the one that a client may just have been told of. */
const kept = 2
const pictures = ['before', 'after'] as const
/** The footage's own picture: the first of those before. */
const footageCover = join('footage', 'cover.jpg')

const fileName = (picture: string, frame: number): string => `${picture}-${String(frame)}.jpg`

/** For one swap at a time. */
export class Previews {
  private frames: number[] = []
  private taking = Promise.resolve()

  /** @param remove never rejects */
  constructor(private readonly remove: (path: string) => Promise<void>) {}

  /**
   * Copies the newest pictures from `work` to `folder`, since the engine writes the next ones over them; `onTaken` is told
   * when they are there. Lost ones are no loss.
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
        // Half a pair is none.
        await this.drop(folder, [frame])
        return
      }
      this.frames.push(frame)
      onTaken(frame)
      await this.drop(folder, this.frames.splice(0, this.frames.length - kept))
    })
  }

  /** Removes all of them, once none is being taken any more. */
  async clear(folder: string): Promise<void> {
    await this.taking
    await this.drop(folder, this.frames.splice(0))
  }

  private async drop(folder: string, frames: readonly number[]): Promise<void> {
    for (const frame of frames)
      for (const picture of pictures) await this.remove(join(folder, fileName(picture, frame)))
  }
}
