/** @file Faces and videos for the composer: dialogs, drops, the clipboard, addresses, the sample. */
import { dialog, type BrowserWindow, type OpenDialogOptions } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { House } from '../../house.ts'
import { pastedPath, pastedPicture, pastedText } from '../../media/clipboard.ts'
import { samplePaths } from '../../media/sample.ts'
import type { GroupHandlers } from '../register.ts'

const pictures = ['jpg', 'jpeg', 'png', 'webp', 'avif', 'gif', 'bmp']
const videos = ['mp4', 'm4v', 'mov', 'webm', 'mkv']

export interface IntakeContext {
  house: House
  window: () => BrowserWindow | null
  resourcesDir: string
}

export function intakeHandlers({ house, window, resourcesDir }: IntakeContext): GroupHandlers<'intake'> {
  const { intake, media, tasks } = house
  const sample = samplePaths(resourcesDir)
  const choose = async (name: string, extensions: string[]): Promise<string | null> => {
    const options: OpenDialogOptions = {
      properties: ['openFile'],
      filters: [
        { name, extensions },
        { name: m.dialog_all_files(), extensions: ['*'] },
      ],
    }
    // It starts while somebody looks for a file.
    house.engine.warm()
    const parent = window()
    const { filePaths } = await (parent ? dialog.showOpenDialog(parent, options) : dialog.showOpenDialog(options))
    return filePaths[0] ?? null
  }
  return {
    chooseFace: async () => {
      const path = await choose(m.dialog_pictures(), pictures)
      return path === null ? null : intake.face(path)
    },
    dropFace: ({ path }) => intake.face(path),
    pasteFace: async () => {
      const path = await pastedPath()
      if (path !== null) return intake.face(path)
      const png = await pastedPicture()
      return png === null ? null : intake.pasted(png, m.pasted_picture())
    },
    confirmFace: ({ faceId, confirmed }) => media.confirmFace(faceId, confirmed, Date.now()),
    chooseVideo: async () => {
      const path = await choose(m.dialog_videos(), videos)
      return path === null ? null : intake.video(path)
    },
    dropVideo: ({ path }) => intake.video(path),
    pasteVideo: async () => {
      const path = await pastedPath()
      if (path !== null) return intake.video(path)
      const text = await pastedText()
      return /^https?:\/\//i.test(text) ? intake.address(text) : null
    },
    openAddress: ({ url }) => intake.address(url),
    stop: ({ well }) => {
      intake.stop(well)
    },
    sample: async () => {
      const [face, video] = await Promise.all([intake.face(sample.face), intake.video(sample.video)])
      // Both are in the public domain (resources/NOTICE).
      return { face: media.confirmFace(face.id, true, Date.now()), video, title: m.sample_swap_title() }
    },
    expect: () => {
      house.engine.warm()
    },
    estimate: ({ videoId, profileId }) => tasks.expectations.estimate(media.video(videoId), profileId),
  }
}
