import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Makes what was made, renamed or removed in a folder outlive a power cut. Windows has no such thing and does without. */
export async function syncNames(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
