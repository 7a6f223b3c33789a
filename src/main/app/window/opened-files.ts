/** @file Files that the system asks Mien to open: arguments of a start, and macOS's `open-file`. */
import { app } from 'electron'
import { z } from 'zod'

/** What a second start passes to the first. */
const secondStartSchema = z.object({ files: z.array(z.string().min(1).max(32_768)).max(10_000) })
export type SecondStart = z.infer<typeof secondStartSchema>
/** Whether a second studio was started, not a command that found this one open. */
export const isSecondStart = (data: unknown): boolean => secondStartSchema.safeParse(data).success

export class OpenedFiles {
  private paths: string[]
  private added: () => void = () => undefined

  /** Call before the app is ready: macOS sends the files of the first start before. */
  constructor(files: readonly string[]) {
    this.paths = [...files]
    app.on('open-file', (event, path) => {
      event.preventDefault()
      this.add([path])
    })
    app.on('second-instance', (_event, _argv, _cwd, data) => {
      this.add(secondStartSchema.safeParse(data).data?.files ?? [])
    })
  }

  onAdded(listener: () => void): void {
    this.added = listener
  }

  /** Returns the files that were not taken before. */
  take(): string[] {
    const { paths } = this
    this.paths = []
    return paths
  }

  private add(paths: readonly string[]): void {
    if (paths.length === 0) return
    this.paths.push(...paths)
    this.added()
  }
}
