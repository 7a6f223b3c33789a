/** @file A swap whose uploads the service deleted meanwhile is sent all the same: its files are uploaded again. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { defaultOptions, type SwapOptions } from '@shared/options/swap-options.ts'
import { MediaStore } from '../../src/main/media/media-store.ts'
import { JobCleanup } from '../../src/main/swaps/sending/job-cleanup.ts'
import { newEntry } from '../../src/main/swaps/rules/outbox-entry.ts'
import { Outbox } from '../../src/main/swaps/sending/outbox.ts'
import { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import { embeddedService } from './service-under-test.ts'
import { addMedia, makeParts } from '../fixtures/task-service.ts'
import { face, makeTask } from '../fixtures/tasks.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { tempLibrary } from '../fixtures/temp-library.ts'

const dayMs = 86_400_000

it('is sent after the embedded service swept what was uploaded more than a day ago', async () => {
  const dir = tempDir()
  const clock = { aheadMs: 0 }
  const service = await embeddedService({ clock: () => Date.now() + clock.aheadMs })
  const db = tempLibrary(dir)
  const media = new MediaStore(db)
  addMedia(media, dir)
  const store = new TaskStore(db, () => undefined)
  const newClient = async () => service.client((await service.client(null).newKey(1n)).shown)
  let client = await newClient()
  const [imageUrl, videoUrl] = [
    await client.uploadAsset(join(dir, 'face.jpg'), 'face.jpg'),
    await client.uploadAsset(join(dir, 'clip.mp4'), 'clip.mp4'),
  ]
  await writeFile(join(dir, 'profile.jpg'), 'from the side')
  const picture = media.addFace(join(dir, 'profile.jpg'), 'other', { ...face, id: 'face-2', name: 'profile.jpg' })
  const options: SwapOptions = { ...defaultOptions, likeness: 90, keep: ['mouth'] }
  const task = makeTask({ state: 'queued', pictures: [picture], options })
  const pictureUrls = [await client.uploadAsset(join(dir, 'profile.jpg'), 'profile.jpg')]
  store.putWithOutbox(task, { ...newEntry(task.id, 1), imageUrl, videoUrl, pictureUrls })
  clock.aheadMs = 2 * dayMs
  await service.restart()
  client = await newClient()
  const parts = makeParts({ db, dir, store, media, services: { client: () => client } })
  const { board } = parts
  const outbox = new Outbox(parts, new JobCleanup(parts))
  board.onDelta(() => outbox.wake())
  outbox.start()
  await vi.waitFor(() => expect(board.get(task.id)).toMatchObject({ state: 'waiting', error: null }))
  expect(board.get(task.id)?.objectId).not.toBeNull()
  await vi.waitFor(() => {
    expect(service.engine.last).toEqual({
      ...{ cast: [{ pictures: ['face', 'from the side'], clips: null }], stay: [], range: null, options },
    })
  })
  await outbox.dispose()
  db.close()
  await service.close()
})
