import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { OpenDialogOptions } from 'electron'
import type { Notice } from '@shared/ipc/app-state.ts'
import type { HandlerDeps } from '../../../../../src/main/app/ipc/handler-deps.ts'
import { Notices } from '../../../../../src/main/app/notices.ts'
import { swap } from '../../../../fixtures/fake-tasks.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

// No window is opened here.
vi.mock('electron', () => ({
  ...{ app: { getPath: () => '/' }, clipboard: {}, nativeTheme: {} },
  dialog: { showOpenDialog: () => undefined, showSaveDialog: () => undefined },
  shell: { showItemInFolder: () => undefined },
}))

const inDir = tempPaths()
let electron: typeof import('electron')
let appHandlers: typeof import('../../../../../src/main/app/ipc/handlers/app.ts').appHandlers
let intakeHandlers: typeof import('../../../../../src/main/app/ipc/handlers/intake.ts').intakeHandlers
let tasksHandlers: typeof import('../../../../../src/main/app/ipc/handlers/tasks.ts').tasksHandlers
// Another file may have loaded the modules with its own Electron.
beforeAll(async () => {
  vi.resetModules()
  electron = await import('electron')
  ;({ appHandlers } = await import('../../../../../src/main/app/ipc/handlers/app.ts'))
  ;({ intakeHandlers } = await import('../../../../../src/main/app/ipc/handlers/intake.ts'))
  ;({ tasksHandlers } = await import('../../../../../src/main/app/ipc/handlers/tasks.ts'))
})
afterAll(() => vi.resetModules())

it('a notice that is dismissed is gone, and the window is told', () => {
  let told: Notice[] = []
  const notices = new Notices((all) => (told = all))
  notices.add({ id: 'offline', kind: 'offline' })
  notices.add({ id: 'no-keychain', kind: 'no-keychain' })
  // Handlers of notices use nothing else.
  const handlers = appHandlers({ notices } as unknown as HandlerDeps)
  void handlers.dismissNotice({ id: 'offline' })
  expect(told).toEqual([{ id: 'no-keychain', kind: 'no-keychain' }])
  expect(handlers.notices()).toEqual(told)
})

/** Asks for files with a dialog in which the user chooses these. */
async function choose(mediaSlot: 'face' | 'video' | null, several: boolean, filePaths: string[]) {
  const shown = vi.spyOn(electron.dialog, 'showOpenDialog').mockResolvedValue({ canceled: false, filePaths })
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

it('recent files are told by their names, without paths', async () => {
  const recent = { list: () => Promise.resolve([{ kind: 'video', path: '/home/ada/clip.mp4', pictureId: 'p1' }]) }
  // Nothing else is used for it.
  const deps = { context: { media: { has: () => false } }, recent, window: () => null, resourcesDir: '' }
  const listed = await intakeHandlers(deps as unknown as HandlerDeps).recent()
  expect(listed).toMatchObject({ faces: [], videos: [{ name: 'clip.mp4', pictureId: null }] })
  expect(JSON.stringify(listed)).not.toContain('/home/ada')
})

it('saves a result where the user chose, names that file and its folder, and shows it there', async () => {
  const [from, chosen] = [inDir('result.mp4'), inDir('My holiday.mp4')]
  writeFileSync(from, 'film')
  vi.spyOn(electron.dialog, 'showSaveDialog').mockResolvedValue({ canceled: false, filePath: chosen })
  const shown = vi.spyOn(electron.shell, 'showItemInFolder')
  const context = {
    ...{ tasks: { get: () => swap('a', 1, { state: 'kept' }) }, media: { path: () => from }, library: {} },
    settings: { settings: { fileName: '{title}' } },
  }
  // Copies use nothing else.
  const handlers = tasksHandlers({ context, window: () => null } as unknown as HandlerDeps)
  expect(await handlers.saveAs({ taskId: 'a' })).toEqual({ fileName: 'My holiday.mp4', folderName: basename(inDir()) })
  expect(readFileSync(chosen, 'utf8')).toBe('film')
  await handlers.showSaved({ taskId: 'a' })
  expect(shown).toHaveBeenCalledWith(chosen)
  expect(existsSync(from)).toBe(true)
})
