import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * Fsyncs a folder, so that created, renamed and removed files survive a power failure. Windows doesn't support this.
 */
export async function syncNames(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
