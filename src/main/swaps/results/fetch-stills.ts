/** @file Downloads the stills of a finished swap: its cover and the people in it. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServiceClient } from '../../remote/client/service-client.ts'
import type { ServiceTask } from '../../remote/client/parsing/read-task.ts'
import { exists } from '../../machine/disk/files.ts'
import type { Log } from '../../machine/log/log.ts'

interface StillsOptions {
  client: Pick<ServiceClient, 'download'>
  /** Null: the service no longer lists the swap. */
  answer: ServiceTask | null
  dir: string
  /** Reuse stills that an earlier try downloaded, because their URLs may have expired since. */
  reuse: boolean
  signal: AbortSignal
  addMedia: (path: string) => string
  log: Log
}

const maxPeople = 10

/**
 * A missing still never prevents keeping the video. Rejects when `signal` is aborted, so that an abort is not mistaken
 * for "no stills".
 */
export async function fetchStills({ client, answer, dir, reuse, signal, addMedia, log }: StillsOptions) {
  await mkdir(dir, { recursive: true })
  const still = async (name: string, url: string | undefined): Promise<string | null> => {
    const path = join(dir, name)
    try {
      const isThere = reuse && (await exists(path))
      if (!isThere && url === undefined) return null
      if (!isThere && url !== undefined) await client.download(url, path, { signal, wanted: 'picture' })
      return addMedia(path)
    } catch (error) {
      if (signal.aborted) throw error
      log(`Fetching ${name} failed`, error)
      return null
    }
  }
  const coverId = await still('cover.jpg', answer?.coverUrl ?? undefined)
  const peopleIds: string[] = []
  for (let index = 0; index < maxPeople; index += 1) {
    const id = await still(`person-${String(index)}.jpg`, answer?.avatarUrls[index])
    if (id !== null) peopleIds.push(id)
  }
  return { coverId, peopleIds }
}
