/**
 * @file Uploads a swap's pictures and video as needed, to the user's upload target, or to the service. Removes them from the
 * upload target once the service no longer needs them.
 */
import { fileErrors, MienError, withDetails, type ErrorCode, type ErrorBody } from '@shared/errors.ts'
import { type FaceMedia, type Task, type VideoMedia, isActive } from '@shared/tasks/task.ts'
import { isUnseen } from '@shared/tasks/unseen.ts'
import type { ServiceClient } from '../../remote/client/service-client.ts'
import type { TransferOptions } from '../../remote/client/transport/http.ts'
import { otherPictures, type Addresses, type OutboxEntry } from '../rules/outbox-entry.ts'
import { atMostEvery } from '../../machine/transfer/throttle.ts'
import type { Parts } from '../store/parts.ts'

const fileErrorCodes: readonly ErrorCode[] = fileErrors

/** Returns the URLs of all files. Each is stored, so that no upload is repeated. */
export async function uploadMedia(
  {
    board,
    store,
    services,
    media,
    uploads,
    clock,
  }: Pick<Parts, 'board' | 'store' | 'services' | 'media' | 'uploads' | 'clock'>,
  task: Task,
  entry: OutboxEntry,
  signal: AbortSignal,
): Promise<Addresses> {
  const client = services.client(task.profileId)
  // More pictures of one person are for services that know them; others get the first one.
  const pictures = otherPictures(task).slice(
    0,
    task.cast.length === 0 && task.pictures.length > 0 ? (await maxPicturesOf(client, signal)) - 1 : undefined,
  )
  let current = withGivenAddresses(
    { ...entry, pictureUrls: pictures.length === 0 ? [] : entry.pictureUrls },
    task,
    isUnseen,
  )
  // The user's upload target has priority over the service's uploads.
  const target = uploads?.has(task.profileId) ? uploads : null
  const isComplete = (): boolean =>
    current.imageUrl !== null && current.videoUrl !== null && current.pictureUrls !== null
  if (isComplete()) {
    if (!target) return current
    const again = async (mediaId: string, url: string | null): Promise<string | null> =>
      (await target.address(task, mediaId)) ?? url
    const { imageUrl, videoUrl, pictureUrls } = current
    return {
      imageUrl: await again(task.face.id, imageUrl),
      videoUrl: await again(task.video.id, videoUrl),
      pictureUrls: (await Promise.all(pictures.map(({ id }, at) => again(id, pictureUrls?.[at] ?? null)))).filter(
        (url) => url !== null,
      ),
    }
  }
  const canUpload = target !== null || ((await client.capabilities(signal))?.assets ?? false)
  if (!canUpload) current = withGivenAddresses(current, task, () => true)
  if (isComplete()) return current
  const total = [task.face, ...pictures, task.video].reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0)
  let offset = 0
  const send = async ({ id: mediaId, name, sizeBytes }: FaceMedia | VideoMedia): Promise<string> => {
    const path = media.path(mediaId)
    if (path === null) throw new MienError('file-missing', { name })
    const options: TransferOptions = {
      signal,
      onProgress: atMostEvery(100, clock.ticks, ({ bytesDone }) => {
        board.dispatch(task.id, { type: 'upload-progress', bytesDone: offset + bytesDone, bytesTotal: total })
      }),
    }
    const sent = target
      ? target.upload(task, { mediaId, path, name }, options)
      : client.uploadAsset(path, name, { ...options, note: store.uploadNote(task.profileId, mediaId) })
    const url = await sent.catch((error: unknown) => {
      // Add the name, so that the user sees which of the files failed.
      const ofFile = error instanceof MienError && fileErrorCodes.includes(error.code)
      throw ofFile ? withDetails(error, { name }) : error
    })
    offset += sizeBytes ?? 0
    return url
  }
  const keep = (sent: OutboxEntry): void => {
    store.withRelaxedSync(() => {
      store.putEntry(sent)
    })
  }
  if (!canUpload) throw new MienError('needs-upload-target', { name: task.face.name })
  board.dispatch(task.id, { type: 'upload-progress', bytesDone: 0, bytesTotal: total })
  if (current.imageUrl === null) {
    current = { ...current, imageUrl: await send(task.face) }
    keep(current)
  }
  if (current.pictureUrls === null) {
    const pictureUrls: string[] = []
    for (const picture of pictures) pictureUrls.push(await send(picture))
    current = { ...current, pictureUrls }
    keep(current)
  }
  if (current.videoUrl === null) {
    current = { ...current, videoUrl: await send(task.video) }
    keep(current)
  }
  board.dispatch(task.id, { type: 'uploaded' })
  return current
}

const maxPicturesOf = async (client: ServiceClient, signal: AbortSignal): Promise<number> =>
  (await client.capabilities(signal))?.pictures ?? 1

/** Fills missing URLs with the original URLs of the media for which `isGiven` is true; keeps uploaded ones. */
function withGivenAddresses(
  entry: OutboxEntry,
  { face, video }: Task,
  isGiven: (media: FaceMedia | VideoMedia) => boolean,
): OutboxEntry {
  const { imageUrl, videoUrl } = entry
  return {
    ...entry,
    imageUrl: imageUrl ?? (isGiven(face) ? face.address : null),
    videoUrl: videoUrl ?? (isGiven(video) ? video.address : null),
  }
}

/** Uploads that a service deleted before the swap was sent, e.g. after a pause of more than a day. */
export class LostUploads {
  /** Files uploaded again in this run, by swap. A service that loses every upload fails the swap. */
  private readonly known = new Set<string>()

  /** The missing files of a refused create, if they may be uploaded again (once); null: the refusal is final. */
  mayUploadAgain(taskId: string, { code, details }: ErrorBody): (keyof Addresses)[] | null {
    const { field } = details
    const key = `${taskId} ${String(field)}`
    if (code !== 'file-missing' || this.known.has(key)) return null
    this.known.add(key)
    if (field === 'cast') return ['imageUrl', 'pictureUrls']
    return field === 'imageUrl' || field === 'videoUrl' || field === 'pictureUrls' ? [field] : null
  }
}

/** Whether a service may still need the swap's files. */
const isUnderWay = (task: Task | undefined): boolean =>
  task !== undefined && (isActive(task.state) || task.state === 'unconfirmed')

/** Removes the files of swaps that ended or were removed, now and from now on. */
export function clearUploads({ board, uploads, log }: Pick<Parts, 'board' | 'uploads' | 'log'>): void {
  const logged = (work: Promise<void> | undefined): void => {
    work?.catch((error: unknown) => {
      log('Clearing up after uploads failed', error)
    })
  }
  const sweep = (): void => {
    logged(uploads?.sweep((id) => isUnderWay(board.held.get(id))))
  }
  board.onDelta(({ changed, removed }) => {
    for (const task of changed) if (!isUnderWay(task)) logged(uploads?.ended(task.id))
    if (removed.length > 100) sweep()
    else for (const id of removed) logged(uploads?.ended(id))
  })
  sweep()
}
