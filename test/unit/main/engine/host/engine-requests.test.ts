import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { EngineHost } from '../../../../../src/main/engine/host/engine-host.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

vi.mock('electron', () => ({}))

it('says when a request begins and when it has ended, also one that fails', async () => {
  const ended = vi.fn()
  const onRequest = vi.fn(() => ended)
  const engine = new EngineHost({ rendererDir: '', modelsDir: '', preload: '', onRequest })
  const { signal } = new AbortController()
  const inspecting = engine.inspectFace(join(tempDir(), 'gone.jpg'), tempDir(), signal)
  expect(onRequest).toHaveBeenCalledExactlyOnceWith('inspect-face', signal)
  expect(ended).not.toHaveBeenCalled()
  await expect(inspecting).rejects.toMatchObject({ code: 'file-missing' })
  expect(ended).toHaveBeenCalledOnce()
})
