import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { HandlerDeps } from '../../../../../src/main/app/ipc/handler-deps.ts'
import { swap } from '../../../../fixtures/fake-tasks.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

// No window is opened here.
vi.mock('electron', () => ({
  app: { getPath: () => '/' },
  dialog: { showSaveDialog: () => undefined },
  shell: { showItemInFolder: () => undefined },
}))

let electron: typeof import('electron')
let tasksHandlers: typeof import('../../../../../src/main/app/ipc/handlers/tasks.ts').tasksHandlers
// Another file may have loaded the modules with its own Electron.
beforeAll(async () => {
  vi.resetModules()
  electron = await import('electron')
  ;({ tasksHandlers } = await import('../../../../../src/main/app/ipc/handlers/tasks.ts'))
})
afterAll(() => vi.resetModules())

it('saves a result where the user chose, names that file and its folder, and shows it there', async () => {
  const dir = tempDir()
  const [from, chosen] = [join(dir, 'result.mp4'), join(dir, 'My holiday.mp4')]
  writeFileSync(from, 'film')
  vi.spyOn(electron.dialog, 'showSaveDialog').mockResolvedValue({ canceled: false, filePath: chosen })
  const shown = vi.spyOn(electron.shell, 'showItemInFolder')
  const context = {
    ...{ tasks: { get: () => swap('a', 1, { state: 'kept' }) }, media: { path: () => from }, library: {} },
    settings: { settings: { fileName: '{title}' } },
  }
  // Copies use nothing else.
  const handlers = tasksHandlers({ context, window: () => null } as unknown as HandlerDeps)
  expect(await handlers.saveAs({ taskId: 'a' })).toEqual({ fileName: 'My holiday.mp4', folderName: basename(dir) })
  expect(readFileSync(chosen, 'utf8')).toBe('film')
  await handlers.showSaved({ taskId: 'a' })
  expect(shown).toHaveBeenCalledWith(chosen)
  expect(existsSync(from)).toBe(true)
})
