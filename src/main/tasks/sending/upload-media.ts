/** @file Uploads a swap's face and video as needed: to the user's upload target, or to the service. */
import { fileErrors, MienError, type ErrorCode } from '@shared/errors.ts'
import type { FaceMedia, Task, VideoMedia } from '@shared/task.ts'
import { isUnseen } from '@shared/unseen.ts'
import type { MediaStore } from '../../media/media-store.ts'
import type { TransferOptions } from '../../service-client/service-client.ts'
import { atMostEvery } from '../rules/every.ts'
import type { Addresses, OutboxEntry } from '../rules/outbox-entry.ts'
import type { Services, Uploads } from '../rules/ports.ts'
import type { TaskBoard } from '../store/task-board.ts'
import type { TaskStore } from '../store/task-store.ts'

export interface UploadMediaDeps {
  board: TaskBoard
  store: TaskStore
  services: Services
  media: MediaStore
  /** Upload targets; null: none. */
  uploads: Uploads | null
  ticks: () => number
}

const fileErrorCodes: readonly ErrorCode[] = fileErrors

/** Returns the URLs of both files. Each is stored, so that no upload is repeated. */
export async function uploadMedia(
  { board, store, services, media, uploads, ticks }: UploadMediaDeps,
  task: Task,
  entry: OutboxEntry,
  signal: AbortSignal,
): Promise<Addresses> {
  const client = services.client(task.profileId)
  let current = withGivenAddresses(entry, task, isUnseen)
  // The user's upload target has priority over the service's uploads.
  const target = uploads?.has(task.profileId) ? uploads : null
  if (current.imageUrl !== null && current.videoUrl !== null) {
    if (!target) return current
    const [imageUrl, videoUrl] = await Promise.all([
      target.address(task, task.face.id),
      target.address(task, task.video.id),
    ])
    return { imageUrl: imageUrl ?? current.imageUrl, videoUrl: videoUrl ?? current.videoUrl }
  }
  const canUpload = target !== null || ((await client.capabilities(signal))?.assets ?? false)
  if (!canUpload) current = withGivenAddresses(current, task, () => true)
  if (current.imageUrl !== null && current.videoUrl !== null) return current
  const faceBytes = task.face.sizeBytes ?? 0
  const total = faceBytes + (task.video.sizeBytes ?? 0)
  const send = async (mediaId: string, name: string, offset: number): Promise<string> => {
    const path = media.path(mediaId)
    if (path === null) throw new MienError('file-missing', { name })
    const options: TransferOptions = {
      signal,
      onProgress: atMostEvery(100, ticks, ({ bytesDone }) => {
        board.dispatch(task.id, { type: 'upload-progress', bytesDone: offset + bytesDone, bytesTotal: total })
      }),
    }
    const sent = target
      ? target.upload(task, { mediaId, path, name }, options)
      : client.uploadAsset(path, name, options)
    return sent.catch((error: unknown) => {
      // Add the name, so that the user sees which of the two files failed.
      const ofFile = error instanceof MienError && fileErrorCodes.includes(error.code)
      throw ofFile ? new MienError(error.code, { name, ...error.details }, { cause: error }) : error
    })
  }
  const keep = (sent: OutboxEntry): void => {
    store.withRelaxedSync(() => {
      store.putEntry(sent)
    })
  }
  if (!canUpload) throw new MienError('needs-upload-target', { name: task.face.name })
  board.dispatch(task.id, { type: 'upload-progress', bytesDone: 0, bytesTotal: total })
  if (current.imageUrl === null) {
    current = { ...current, imageUrl: await send(task.face.id, task.face.name, 0) }
    keep(current)
  }
  if (current.videoUrl === null) {
    current = { ...current, videoUrl: await send(task.video.id, task.video.name, faceBytes) }
    keep(current)
  }
  board.dispatch(task.id, { type: 'uploaded' })
  return current
}

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
