/** @file IPC handlers for adding faces and videos: dialogs, drops, clipboard, URLs, sample. */
import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { OpenDialogOptions } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import { MienError, toErrorBody } from '@shared/errors.ts'
import { maxTaken, type FaceFile, type FoundFiles, type PictureImport, type RecentMedia } from '@shared/ipc/intake.ts'
import { addressIn, mediaKindOf, readablePictures, readableVideos, type SlotName } from '@shared/files/media-names.ts'
import type { FaceMedia, VideoMedia } from '@shared/tasks/task.ts'
import { pastedPath, pastedPicture, pastedText } from '../../../media/clipboard.ts'
import { findMedia, type FoundMedia, onlyFile } from '../../../media/find-media.ts'
import { samplePaths } from '../../../media/sample.ts'
import { chooseFiles } from '../../../machine/system/file-dialogs.ts'
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

/** A file that the user gave, which pages name by a token. */
interface Given {
  path: string
  /** Of a picture that was no file. */
  name?: string
  /** Of a person in a video. */
  views?: string[]
}

export function intakeHandlers({
  context,
  window,
  resourcesDir,
  recent,
  takeOpened,
}: HandlerDeps): GroupHandlers<'intake'> {
  const { intake, media, consents, tasks } = context
  const sample = samplePaths(resourcesDir)
  const given = new Map<string, Given>()
  const givenBy = (token: string): Given => {
    const file = given.get(token)
    if (file === undefined) throw new MienError('not-found', { id: token })
    return file
  }
  const tokenOf = (file: Given): string => {
    const token = randomUUID()
    given.set(token, file)
    return token
  }
  const keep = ({ usable, unusable, isCutOff }: FoundMedia): FoundFiles => ({
    files: usable.map(({ path, kind }) => ({ token: tokenOf({ path }), name: basename(path), mediaSlot: kind })),
    unusable: unusable.map((path) => basename(path)),
    max: isCutOff ? maxTaken : null,
  })
  /** Reads a file of the user's, and remembers it. */
  const readFace = async (path: string): Promise<FaceMedia> => {
    const face = await intake.face(path)
    recent.add('face', path, face.thumbnailId)
    return face
  }
  /** @param dropped a picture, a video, or a folder with one picture */
  const readFaceFile = async (dropped: string): Promise<FaceFile> => {
    const path = await onlyFile(dropped, 'face')
    if (mediaKindOf(path) !== 'video') return { pictures: [await readFace(path)], people: [] }
    const people = await intake.videoFaces(path)
    const pictures = await intake.views(people[0] ?? [], basename(path))
    const [face] = pictures
    if (face) recent.add('face', path, face.thumbnailId)
    const choices = people.map((views) => ({
      token: tokenOf({ path, views }),
      pictureId: media.addTemporary(views[0] ?? ''),
    }))
    return { pictures, people: choices.length > 1 ? choices : [] }
  }
  /** @param dropped a video, a picture whose faces are swapped, or a folder with one video */
  const readVideo = async (dropped: string): Promise<VideoMedia> => {
    const path = await onlyFile(dropped, 'video')
    const video = await intake.video(path)
    recent.add('video', path, video.coverId)
    return video
  }
  const choose = async (name: string, extensions: readonly string[], several: boolean): Promise<string[]> => {
    const options: OpenDialogOptions = {
      title: several ? m.shortcut_choose() : m.choose_file(),
      properties: ['openFile', ...(several ? (['multiSelections'] as const) : [])],
      filters: [
        { name, extensions: [...extensions] },
        { name: m.dialog_all_files(), extensions: ['*'] },
      ],
    }
    // Start the engine while the user chooses a file.
    context.engine.warm()
    return chooseFiles(window(), options)
  }
  return {
    chooseFace: async () => {
      const [path] = await choose(m.dialog_pictures(), readablePictures, false)
      return path === undefined ? null : readFace(path)
    },
    choosePictures: async ({ max, faceId }) => {
      const paths = await choose(m.dialog_targets(), [...readablePictures, ...readableVideos], true)
      const imported: PictureImport = { added: [], failed: [], left: 0 }
      const like = media.path(faceId)
      for (const path of paths) {
        if (imported.added.length === max) {
          imported.left += 1
          continue
        }
        try {
          const faces = await intake.faceFile(path, like === null ? {} : { like })
          imported.added.push(...faces.slice(0, max - imported.added.length))
          recent.add('face', path, faces[0].thumbnailId)
        } catch (thrown) {
          const error = toErrorBody(thrown)
          if (error.code === 'cancelled') break
          imported.failed.push({ name: basename(path), error })
        }
      }
      return imported
    },
    find: async ({ paths }) => keep(await findMedia(paths, maxTaken)),
    chooseFiles: async ({ mediaSlot, several }) => {
      const isFace = mediaSlot === 'face'
      const isPicture = isFace && several
      const extensions = isPicture ? readablePictures : [...readableVideos, ...readablePictures]
      const paths = await choose(isPicture ? m.dialog_pictures() : m.dialog_targets(), extensions, several)
      // Each that the user chose is read, whatever its name, so that an error says what it is.
      const files = paths.slice(0, maxTaken).map((path) => {
        const name = basename(path)
        return { token: tokenOf({ path }), name, mediaSlot: mediaKindOf(name) ?? mediaSlot ?? 'video' }
      })
      return { files, unusable: [], max: paths.length > maxTaken ? maxTaken : null }
    },
    recent: async () => {
      const files = await recent.list()
      const of = (kind: SlotName): RecentMedia[] =>
        files
          .filter((file) => file.kind === kind)
          .map(({ path, pictureId }) => ({
            ...{ token: tokenOf({ path }), name: basename(path) },
            pictureId: media.has(pictureId) ? pictureId : null,
          }))
      return { faces: of('face'), videos: of('video') }
    },
    clearRecent: () => recent.clear(),
    takeOpened: async () => {
      const paths = takeOpened()
      return paths.length === 0 ? null : keep(await findMedia(paths, maxTaken))
    },
    foundFace: async ({ token }) => {
      const { path, name, views } = givenBy(token)
      if (views) return { pictures: await intake.views(views, basename(path)), people: [] }
      if (name === undefined) return readFaceFile(path)
      return { pictures: [await intake.face(path, { name })], people: [] }
    },
    foundVideo: async ({ token }) => {
      const { path, name } = givenBy(token)
      return name === undefined ? readVideo(path) : intake.video(path, name)
    },
    dropFace: async ({ path }) => readFaceFile(path),
    clipboard: async () => {
      const path = await pastedPath()
      if (path !== null)
        return { kind: 'file', token: tokenOf({ path }), mediaSlot: mediaKindOf(path), name: basename(path) }
      const png = await pastedPicture()
      if (png !== null) {
        const name = m.pasted_picture()
        const token = tokenOf({ path: await intake.writePasted(png), name })
        return { kind: 'file', token, mediaSlot: 'face', name }
      }
      const url = addressIn(await pastedText())
      return url === null ? null : { kind: 'address', url }
    },
    confirmFace: ({ faceId, confirmed }) => consents.confirm(faceId, confirmed),
    faces: ({ faceIds }) => faceIds.map((id) => media.face(id)),
    dropVideo: async ({ path }) => readVideo(path),
    openAddress: ({ url }) => intake.address(url),
    useAddress: ({ url }) => intake.unseenVideo(url),
    stop: ({ mediaSlot }) => intake.stop(mediaSlot),
    sample: async () => {
      const [face, video] = await Promise.all([
        intake.face(sample.face, { origin: 'sample' }),
        intake.video(sample.video),
      ])
      return { face, video, title: m.sample_swap_title() }
    },
    expect: () => context.engine.warm(),
    estimate: async ({ videoId, profileId, range, model }) => {
      const added = model ? { runMs: await context.methods.runMs(model.id), seenMs: model.seenMs } : null
      return tasks.durationEstimator.estimate(media.video(videoId), profileId, range, added)
    },
  }
}
