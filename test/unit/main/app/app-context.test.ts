import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import { createAppContext, type AppContext } from '../../../../src/main/app/app-context.ts'
import { Keychain } from '../../../../src/main/machine/keychain/keychain.ts'
import { SettingsStore } from '../../../../src/main/machine/settings/settings-store.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

// No window is opened here.
vi.mock('electron', () => ({ app: { getVersion: () => '1.0.0' }, powerSaveBlocker: {} }))

let dataDir: string
let asked: string[]
/** Ends the requests to the keychain. */
let end: PromiseWithResolvers<null>
let context: AppContext
beforeEach(() => {
  dataDir = tempDir()
  asked = []
  end = Promise.withResolvers()
  context = open()
})
afterEach(async () => {
  end.resolve(null)
  await context.dispose()
})

/** A context whose keychain doesn't answer, however long it is waited for. */
function open(): AppContext {
  const silent = (_service: string, account: string): Promise<null> => {
    asked.push(account)
    return end.promise
  }
  // Keytar's other calls are not used.
  const calls = { getPassword: silent, setPassword: silent, deletePassword: silent }
  const keytar = calls as unknown as typeof import('keytar')
  const connection = { fetch: globalThis.fetch, createFetch: globalThis.fetch }
  return createAppContext({
    ...{ dataDir, outDir: dataDir, resourcesDir: dataDir },
    signing: { dir: dataDir, files: null },
    settings: new SettingsStore(dataDir, Date.now()),
    keychain: new Keychain('here', () => Promise.resolve(keytar), 2 ** 31 - 1),
    resultsFolder: () => dataDir,
    network: { ...connection, pinned: () => connection },
    log: { info: () => undefined, warn: () => undefined },
  })
}

it('starts the embedded service and lists it while the keychain does not answer', { timeout: 20_000 }, async () => {
  expect(await context.profiles.list()).toMatchObject([{ embedded: true, key: { kept: 'none' } }])
  await context.startService()
  expect(await context.profiles.test(embeddedProfileId)).toMatchObject({ keyAccepted: true })
  expect(await context.profiles.list()).toMatchObject([{ embedded: true, key: { kept: 'session' } }])
  expect(asked).toEqual([])
})

it('has a key for the embedded service as soon as it has an address', async () => {
  const started = context.startService().then(() => true)
  const turn = (): Promise<boolean> => new Promise((resolve) => setImmediate(resolve, false))
  const hasAddress = (): boolean => {
    try {
      context.profiles.client(embeddedProfileId)
      return true
    } catch {
      return false
    }
  }
  while (!(await Promise.race([started, turn()]))) {
    if (hasAddress()) expect(await context.vault.read(embeddedProfileId)).not.toBeNull()
  }
  expect(hasAddress()).toBe(true)
})

it('gives the embedded service another key at each start, which nobody can change', async () => {
  await context.startService()
  const [first] = context.vault.secrets
  await context.dispose()
  context = open()
  await context.startService()
  expect(context.vault.secrets).not.toContain(first)
  const id = embeddedProfileId
  for (const change of [
    context.profiles.setKey(id, 'sk-of-a-page', 'session'),
    context.profiles.clearKey(id),
    context.profiles.makeKey(id, '1'),
    context.profiles.listKeys(id, '1'),
  ])
    await expect(change).rejects.toMatchObject({ code: 'forbidden' })
  expect(await context.profiles.test(id)).toMatchObject({ keyAccepted: true })
})

it('lists services for the studio without waiting for the keychain', { timeout: 20_000 }, async () => {
  void context.profiles.save({ name: 'Agency', baseUrl: 'https://a.example' })
  const views = await context.profiles.listNow()
  expect(views).toMatchObject([{ embedded: true }, { name: 'Agency', key: { kept: 'none' }, keys: [] }])
})
