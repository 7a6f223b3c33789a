/** @file The pictures and videos that the user added last. Their paths stay in main. */
import { stat } from 'node:fs/promises'
import type { SlotName } from '@shared/files/media-names.ts'
import type { RecentFile } from '../machine/settings/settings-store.ts'

/** For each slot. */
const max = 12

interface RecentFilesDeps {
  /** Newest first. */
  stored: () => readonly RecentFile[]
  store: (files: RecentFile[]) => void
  isOn: () => boolean
  /** The system's own list, on macOS and Windows. */
  system: { add: (path: string) => void; clear: () => void }
}

export class RecentFiles {
  constructor(private readonly deps: RecentFilesDeps) {}

  add(kind: SlotName, path: string, pictureId: string): void {
    if (!this.deps.isOn()) return
    const others = this.deps.stored().filter((each) => each.kind !== kind || each.path !== path)
    const same = others.filter((each) => each.kind === kind).slice(0, max - 1)
    this.deps.store([{ kind, path, pictureId }, ...same, ...others.filter((each) => each.kind !== kind)])
    this.deps.system.add(path)
  }

  /** The files that still exist, newest first. Others are dropped, also if their drive isn't connected. */
  async list(): Promise<RecentFile[]> {
    const files = this.deps.stored()
    const there = await Promise.all(
      files.map(async ({ path }) => (await stat(path).catch(() => null))?.isFile() === true),
    )
    const found = files.filter((_, index) => there[index])
    if (found.length < files.length) {
      const gone = files.filter((_, index) => !there[index])
      this.deps.store(this.deps.stored().filter((file) => !gone.includes(file)))
    }
    return found
  }

  clear(): void {
    if (this.deps.stored().length > 0) this.deps.store([])
    this.deps.system.clear()
  }
}
