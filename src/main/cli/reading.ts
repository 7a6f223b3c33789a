/** @file The commands that only read a library, beside an open studio too. */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MienError } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { ProfileView } from '@shared/profile.ts'
import { Keychain } from '../keychain/keychain.ts'
import { KeyVault } from '../keychain/key-vault.ts'
import { MediaStore } from '../media/media-store.ts'
import { openNetwork } from '../network.ts'
import { readPolicy } from '../policy/read-policy.ts'
import { Profiles } from '../profiles/profiles.ts'
import { SettingsStore } from '../settings/settings-store.ts'
import { TaskStore } from '../tasks/task-store.ts'
import { exitCodes } from './exit-codes.ts'
import { named, placesOf, taskOf } from './find.ts'
import type { LibraryCommand } from './library-args.ts'
import { profileJson, profileLine, taskJson, taskLine } from './print.ts'
import { tell } from './tell.ts'

export async function readCommand(command: LibraryCommand, dataDir: string): Promise<number> {
  const settings = new SettingsStore(dataDir, Date.now(), readPolicy().policy, true)
  const profiles = new Profiles({
    settings,
    vault: new KeyVault(new Keychain(settings.install)),
    network: openNetwork(),
    embedded: () => null,
    embeddedName: () => m.this_computer(),
  })
  const views = await profiles.list()
  if (command.command === 'profile list') {
    for (const view of views) tell(command.json, profileJson(view), profileLine(view))
    return exitCodes.done
  }
  if (command.command === 'key status') {
    const view = named(views, command.profile)
    tell(command.json, { profile: view.name, ...view.key, keys: view.keys }, profileLine(view))
    return exitCodes.done
  }
  return readTasks(command, dataDir, views)
}

async function readTasks(command: LibraryCommand, dataDir: string, views: ProfileView[]): Promise<number> {
  const path = join(dataDir, 'library.db')
  const there = await access(path).then(
    () => true,
    () => false,
  )
  if (!there) {
    if (command.command === 'show') throw new MienError('not-found', { name: command.id })
    return exitCodes.done
  }
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
  try {
    const store = new TaskStore(db, () => undefined)
    const places = placesOf(new MediaStore(db), views)
    if (command.command === 'show') {
      const task = taskOf(store.all(), command.id)
      const raw = store.record(task.id)
      tell(command.json, { ...taskJson(task, places), raw }, `${taskLine(task, places)}\n${raw ?? ''}`)
    } else {
      for (const task of store.all()) tell(command.json, taskJson(task, places), taskLine(task, places))
    }
    return exitCodes.done
  } finally {
    db.close()
  }
}
