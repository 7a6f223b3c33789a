import { expect, it, vi } from 'vitest'
import type { Notice } from '@shared/ipc/notice.ts'
import type { HandlerDeps } from '../../../../../src/main/app/ipc/handler-deps.ts'
import { appHandlers } from '../../../../../src/main/app/ipc/handlers/app.ts'
import { Notices } from '../../../../../src/main/app/notices.ts'

// No window is opened here.
vi.mock('electron', () => ({ app: {}, clipboard: {}, dialog: {}, nativeTheme: {}, shell: {} }))

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
