import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { OpenDialogOptions } from 'electron'
import type { HandlerDeps } from '../../../../../src/main/app/ipc/handler-deps.ts'

// No window is opened here.
vi.mock('electron', () => ({ clipboard: {}, dialog: { showOpenDialog: () => undefined } }))

let dialog: typeof import('electron').dialog
let intakeHandlers: typeof import('../../../../../src/main/app/ipc/handlers/intake.ts').intakeHandlers
// Another file may have loaded the modules with its own Electron.
beforeAll(async () => {
  vi.resetModules()
  ;({ dialog } = await import('electron'))
  ;({ intakeHandlers } = await import('../../../../../src/main/app/ipc/handlers/intake.ts'))
})
afterAll(() => vi.resetModules())

/** Asks for files with a dialog in which the user chooses these. */
async function choose(mediaSlot: 'face' | 'video' | null, several: boolean, filePaths: string[]) {
  const shown = vi.spyOn(dialog, 'showOpenDialog').mockResolvedValue({ canceled: false, filePaths })
  // Dialogs use nothing else.
  const deps = { context: { engine: { warm: () => undefined } }, window: () => null, resourcesDir: '' }
  const { files } = await intakeHandlers(deps as unknown as HandlerDeps).chooseFiles({ mediaSlot, several })
  const [options] = shown.mock.lastCall as unknown as [OpenDialogOptions] // without a window
  return { options, files: files.map(({ name, mediaSlot: kind }) => [name, kind]) }
}

it('the dialog for both kinds has a title, takes several files, and shows pictures and videos', async () => {
  const { options, files } = await choose(null, true, ['/a/clip.mp4', '/a/ada.jpg', '/a/notes'])
  expect(options.title).toBe('Choose files')
  expect(options.properties).toContain('multiSelections')
  expect(options.filters?.[0]?.extensions).toEqual(expect.arrayContaining(['mp4', 'jpg']))
  expect(files).toEqual([
    ['clip.mp4', 'video'],
    ['ada.jpg', 'face'],
    ['notes', 'video'],
  ])
})

it.each([
  ['face', ['/a/clip.mp4'], [['clip.mp4', 'video']]],
  ['face', ['/a/ada'], [['ada', 'face']]],
  ['video', ['/a/ada.jpg'], [['ada.jpg', 'face']]],
] as const)('what is chosen for a %s, %j, is sorted by its kind', async (mediaSlot, paths, sorted) => {
  const { options, files } = await choose(mediaSlot, false, [...paths])
  expect(options.title).toBeTruthy()
  expect(options.properties).toEqual(['openFile'])
  expect(files).toEqual(sorted)
})
