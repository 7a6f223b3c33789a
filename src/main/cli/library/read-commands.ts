/** @file Read-only commands, which also work while the studio is open. */
import { join } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { Keychain } from '../../machine/keychain/keychain.ts'
import { KeyVault } from '../../machine/keychain/key-vault.ts'
import { MediaStore } from '../../media/media-store.ts'
import { openNetwork } from '../../remote/network.ts'
import { readPolicy } from '../../machine/policy/read-policy.ts'
import { Profiles } from '../../remote/profiles/profiles.ts'
import { SettingsStore } from '../../machine/settings/settings-store.ts'
import { nameDamage, openForReading } from '../../swaps/store/library-db.ts'
import { activeStates } from '@shared/tasks/task-states.ts'
import type { Task } from '@shared/tasks/task.ts'
import { TaskStore } from '../../swaps/store/task-store.ts'
import { readConsents } from './consents.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { keyOwner, placesOf, taskOf } from './lookup.ts'
import type { CommandOf, LibraryCommand } from '../args/args.ts'
import { listed } from './list.ts'
import { printMending } from './mend.ts'
import { listModels } from './models.ts'
import { profileJson, profileLine, taskDetails, taskJson, taskTable, print } from '../output/output-lines.ts'
import { fetchKept, noResult, printFetched, watch } from './swaps.ts'
import { polled } from './watch-tasks.ts'

/**
 * @param takeOver whether the studio has closed meanwhile, so that this process may change the library
 * @returns the exit code, or a command that goes on where the studio stopped
 */
export async function readCommand(
  command: LibraryCommand,
  dataDir: string,
  takeOver: () => boolean,
): Promise<number | CommandOf<'watch'>> {
  if (command.command === 'model list') return listModels(command, dataDir)
  if (command.command === 'consent list' || command.command === 'consent show' || command.command === 'consent export')
    return readConsents(command, dataDir)
  const settings = new SettingsStore(dataDir, Date.now(), readPolicy().policy, true)
  if (settings.isDamaged) process.stderr.write(`${m.cli_settings_damaged()}\n`)
  const keychain = new Keychain(settings.install)
  const profiles = new Profiles({
    settings,
    vault: new KeyVault(keychain),
    network: openNetwork(),
    embedded: () => null,
    embeddedName: () => m.this_computer(),
  })
  switch (command.command) {
    case 'profile list': {
      const views = await profiles.list()
      for (const view of views)
        print(command.json, profileJson(view, !keychain.silent), profileLine(view, !keychain.silent))
      break
    }
    case 'key status': {
      const view = await profiles.get(keyOwner(profiles, command.profile))
      if (!keychain.silent) print(command.json, { profile: view.name, ...view.key, keys: view.keys }, profileLine(view))
      break
    }
    default:
      return readTasks(command, dataDir, { profiles, takeOver })
  }
  if (keychain.silent) throw new MienError('no-keychain', { reason: 'silent' })
  return exitCodes.done
}

/** @throws MienError `data-damaged`, `data-newer`, `not-found` */
async function readTasks(
  command: LibraryCommand,
  dataDir: string,
  { profiles, takeOver }: { profiles: Profiles; takeOver: () => boolean },
): Promise<number | CommandOf<'watch'>> {
  const db = openForReading(join(dataDir, 'library.db'))
  if (db === null) {
    if ('id' in command) throw new MienError('not-found', { name: command.id })
    return exitCodes.done
  }
  try {
    const store = new TaskStore(db, () => undefined)
    const media = new MediaStore(db)
    const places = placesOf(media, profiles.names())
    if (command.command === 'watch') {
      const held = store.inStates(activeStates)
      const { promise: closed, resolve } = Promise.withResolvers<CommandOf<'watch'>>()
      const tasks = polled(store, () => {
        const isOver = takeOver()
        // The same swaps, also those that have ended, for the exit code.
        const ids = command.ids.length > 0 ? command.ids : held.map(({ id }) => id)
        if (isOver) resolve({ ...command, ids: ids.filter((id) => store.named(id).length > 0) })
        return isOver
      })
      return await Promise.race([closed, watch({ tasks, held, places, start: () => Promise.resolve() }, command)])
    }
    if (command.command === 'fetch') {
      const task = taskOf(store, command.id)
      // If there is one, the studio is downloading it.
      if (!(await fetchKept(task, media, command))) throw await noResult(task, media)
      return printFetched(task, command)
    }
    if (command.command === 'show') {
      const task = taskOf(store, command.id)
      const raw = store.record(task.id)
      print(command.json, { ...taskJson(task, places), raw }, taskDetails(task, places).join('\n'))
    } else if (command.command === 'mend') printMending(command.json, taskOf(store, command.id), places)
    else if (command.command === 'list') {
      const tasks: Task[] = []
      for (const { task, added } of listed(db, store, command)) {
        if (command.json) print(true, { ...taskJson(task, places), ...added }, '')
        else tasks.push(task)
      }
      for (const line of taskTable(tasks, places, process.stdout.isTTY ? process.stdout.columns : Infinity))
        process.stdout.write(`${line}\n`)
    }
    return exitCodes.done
  } catch (error) {
    throw nameDamage(error)
  } finally {
    db.close()
  }
}
