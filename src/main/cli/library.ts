/**
 * @file Commands that work with the library: the app's own, or that of `--data-dir`. Only one Mien at a time may
 * change a library, so what changes it needs the lock that the studio holds while it is open; what only reads does not.
 */
import { access, constants, copyFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { app, session } from 'electron'
import { MienError } from '@shared/errors.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { ProfileView } from '@shared/profile.ts'
import { embeddedProfileId, type Task } from '@shared/task.ts'
import { buildHouse, type House } from '../house.ts'
import { Keychain } from '../keychain/keychain.ts'
import { KeyVault } from '../keychain/key-vault.ts'
import { openLog } from '../log/log.ts'
import { MediaStore } from '../media/media-store.ts'
import { folderName } from '../media/results-folder.ts'
import { openNetwork } from '../network.ts'
import { useProxy } from '../policy/proxy.ts'
import { readPolicy } from '../policy/read-policy.ts'
import { Profiles } from '../profiles/profiles.ts'
import { SettingsStore } from '../settings/settings-store.ts'
import { openSurroundings } from '../surroundings.ts'
import { TaskStore } from '../tasks/task-store.ts'
import { exitCodeFor, exitCodeOfTask, exitCodes } from './exit-codes.ts'
import { readsOnly, type LibraryCommand } from './library-args.ts'
import { jsonLine, plain, profileJson, profileLine, taskJson, taskLine, type Places } from './print.ts'
import { follow } from './follow.ts'

export interface LibraryOptions {
  outDir: string
  resourcesDir: string
  /** Where the library is. */
  dataDir: string
  /** It was named on the command line; results then stay in it. */
  dataDirGiven: boolean
}

type Of<C extends LibraryCommand['command']> = Extract<LibraryCommand, { command: C }>

const out = (text: string): void => {
  process.stdout.write(text)
}

/** Returns the exit code. */
export async function runLibrary(command: LibraryCommand, options: LibraryOptions): Promise<number> {
  return readsOnly(command.command) ? readCommand(command, options) : changeCommand(command, options)
}

/** Where media are, and what services are called. */
function placesOf(media: Pick<MediaStore, 'path'>, profiles: readonly ProfileView[]): Places {
  return {
    profile: (id) => profiles.find((profile) => profile.id === id)?.name ?? id,
    path: (id) => media.path(id),
  }
}

async function readCommand(command: LibraryCommand, { dataDir }: LibraryOptions): Promise<number> {
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
    for (const view of views) out(command.json ? jsonLine(profileJson(view)) : `${profileLine(view)}\n`)
    return exitCodes.done
  }
  if (command.command === 'key status') {
    const view = named(views, command.profile)
    out(command.json ? jsonLine({ profile: view.name, ...view.key, keys: view.keys }) : `${profileLine(view)}\n`)
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
      out(command.json ? jsonLine({ ...taskJson(task, places), raw }) : `${taskLine(task, places)}\n${raw ?? ''}\n`)
    } else {
      for (const task of store.all())
        out(command.json ? jsonLine(taskJson(task, places)) : `${taskLine(task, places)}\n`)
    }
    return exitCodes.done
  } finally {
    db.close()
  }
}

/** By the whole id, or a beginning that only one has, of at least four characters. @throws MienError `not-found` */
function taskOf(tasks: readonly Task[], id: string): Task {
  const exact = tasks.find((task) => task.id === id || task.objectId === id)
  const begins = id.length >= 4 ? tasks.filter((task) => task.id.startsWith(id)) : []
  const found = exact ?? (begins.length === 1 ? begins[0] : undefined)
  if (!found) throw new MienError('not-found', { name: id })
  return found
}

/** By its name in any case, or its id. @throws MienError `usage` */
function named(profiles: readonly ProfileView[], name: string): ProfileView {
  const found =
    profiles.find(({ id }) => id === name) ??
    profiles.find((profile) => profile.name.toLowerCase() === name.trim().toLowerCase())
  if (!found) throw new MienError('usage', { reason: `there is no service called ${plain(name)}` })
  return found
}

async function changeCommand(command: LibraryCommand, options: LibraryOptions): Promise<number> {
  const { dataDir } = options
  const { policy } = readPolicy()
  const login = useProxy(policy.proxy, [session.defaultSession])
  const results = (settings: SettingsStore): string =>
    settings.resultsFolder ?? (options.dataDirGiven ? join(dataDir, 'results') : join(app.getPath('videos'), 'Mien'))
  const house = buildHouse({
    ...{ dataDir, policy, outDir: options.outDir, resourcesDir: options.resourcesDir },
    keychain: (install) => new Keychain(install),
    destination: (settings) => {
      const folder = results(settings)
      return { folder, folderName: folderName(folder), fileName: null }
    },
    network: openNetwork(login),
    surroundings: openSurroundings(),
    embeddedName: () => m.this_computer(),
    onReading: () => undefined,
    log: openLog(dataDir, true),
  })
  try {
    return await change(house, command)
  } finally {
    await house.dispose()
  }
}

async function change(house: House, command: LibraryCommand): Promise<number> {
  switch (command.command) {
    case 'profile add':
      return addProfile(house, command)
    case 'profile remove':
      await house.profiles.remove(named(await house.profiles.list(), command.name).id)
      return exitCodes.done
    case 'profile test':
      return testProfile(house, command)
    case 'key set':
    case 'key clear':
    case 'key new':
    case 'key list':
    case 'key revoke':
      return keys(house, command)
    case 'submit':
      return submit(house, command)
    case 'watch':
      return watch(house, command)
    case 'fetch':
      return fetchResult(house, command)
    case 'profile list':
    case 'key status':
    case 'list':
    case 'show':
      return exitCodes.done
  }
}

async function addProfile({ profiles }: House, command: Of<'profile add'>): Promise<number> {
  const { json, name, baseUrl, keyHeader, durationUnit, allowHttp } = command
  const taken = (await profiles.list()).some((each) => each.name.toLowerCase() === name.trim().toLowerCase())
  if (taken) throw new MienError('usage', { reason: `there is a service called ${plain(name)} already` })
  if (keyHeader !== null && !/^[A-Za-z0-9-]{1,64}$/.test(keyHeader))
    throw new MienError('usage', { reason: '--key-header is no name of a header' })
  const input = { name, baseUrl, durationUnit, allowHttp, ...(keyHeader === null ? {} : { keyHeader }) }
  const view = await profiles.save(input)
  out(json ? jsonLine(profileJson(view)) : `${profileLine(view)}\n`)
  return exitCodes.done
}

async function testProfile(house: House, command: Of<'profile test'>): Promise<number> {
  const { id, name } = named(await house.profiles.list(), command.name)
  if (id === embeddedProfileId) await house.startService()
  const report = await house.profiles.test(id)
  if (command.json) out(jsonLine({ profile: name, ...report }))
  else {
    const says = (value: boolean | null): string => (value === null ? 'not known' : value ? 'yes' : 'no')
    out(`reached: ${says(report.reached)}\nTLS: ${report.tls ?? 'not known'}\npath: ${report.path ?? 'not known'}\n`)
    out(`key accepted: ${says(report.keyAccepted)}\n`)
    const skew = report.clockSkewMs
    out(
      `clock: ${skew === null ? 'not told' : `${(skew / 1000).toFixed(0)} s ahead`}\nanswered in ${String(report.ms)} ms\n`,
    )
  }
  if (report.error === null) return exitCodes.done
  process.stderr.write(`${errorSentence(report.error)}\n`)
  return exitCodeFor(report.error.code)
}

/** All of standard input; a key that is typed into arguments would be read by every user of the computer. */
async function fromStdin(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > 10_000) break
  }
  return text.replace(/\r?\n$/, '')
}

async function keys(
  { profiles }: House,
  command: Of<'key set' | 'key clear' | 'key new' | 'key list' | 'key revoke'>,
): Promise<number> {
  const { id, embedded } = named(await profiles.list(), command.profile)
  if (embedded) throw new MienError('usage', { reason: 'this computer makes its own key' })
  const tell = (value: object, line: string): number => {
    out(command.json ? jsonLine(value) : `${line}\n`)
    return exitCodes.done
  }
  switch (command.command) {
    case 'key set': {
      const view = await profiles.setKey(id, await fromStdin(), 'keychain')
      return tell(view.key, profileLine(view))
    }
    case 'key clear': {
      const view = await profiles.clearKey(id)
      return tell(view.key, profileLine(view))
    }
    case 'key new': {
      const { sk, kept } = await profiles.makeKey(id, command.userId)
      return tell({ sk, lastFour: sk.slice(-4), kept }, sk)
    }
    case 'key list': {
      for (const { id: keyId, masked, active } of await profiles.listKeys(id, command.userId))
        tell({ id: keyId, masked, active }, `${keyId ?? '-'}  ${masked}${active ? '  in use' : ''}`)
      return exitCodes.done
    }
    case 'key revoke': {
      const listed = await profiles.listKeys(id, command.userId)
      const row = listed.find((key) => key.id === command.key || key.masked.endsWith(command.key))
      if (!row) throw new MienError('not-found', { name: command.key })
      await profiles.serviceKeys.revoke(id, row.row)
      return tell({ id: row.id, masked: row.masked, revoked: true }, row.masked)
    }
  }
}

async function submit(house: House, command: Of<'submit'>): Promise<number> {
  const profile = named(await house.profiles.list(), command.profile)
  const { face: faceFrom, video: videoFrom } = command
  house.engine.warm()
  const face = await ('url' in faceFrom ? house.intake.faceAddress(faceFrom.url) : house.intake.face(faceFrom.path))
  const video = await ('url' in videoFrom ? house.intake.address(videoFrom.url) : house.intake.video(videoFrom.path))
  // Whoever types the command answers for the face; there is no one else to ask.
  house.media.confirmFace(face.id, true, Date.now())
  if (profile.embedded) await house.startService()
  const title = (command.title ?? basename(video.name, extname(video.name))).slice(0, 200)
  const { taskId } = house.tasks.submit(
    { faceId: face.id, videoId: video.id, title, profileId: profile.id },
    // A service on the web can fetch what is on the web itself; what is here was fetched to be looked at.
    profile.embedded
      ? {}
      : {
          ...('url' in faceFrom ? { imageUrl: faceFrom.url } : {}),
          ...('url' in videoFrom ? { videoUrl: videoFrom.url } : {}),
        },
  )
  // This computer's own queue goes on where Mien is open, or watched; another service is sent to now.
  if (profile.embedded && !command.wait) return tellTask(house, taskId, command.json)
  const places = placesOf(house.media, await house.profiles.list())
  const sent = (task: Task): boolean => !['queued', 'uploading', 'submitting'].includes(task.state)
  const ended = await follow(house, [taskId], {
    start: () => (profile.embedded ? house.tasks.start() : house.start()),
    over: (task) => exitCodeOfTask(task) !== null || (!command.wait && sent(task)),
    onChange: (task) => {
      if (!command.json) process.stderr.write(`${taskLine(task, places)}\n`)
    },
  })
  if (ended === 'interrupted') return exitCodes.interrupted
  const task = house.tasks.get(taskId)
  await tellTask(house, taskId, command.json)
  return exitCodeOfTask(task) ?? exitCodes.done
}

async function tellTask(house: House, taskId: string, json: boolean): Promise<number> {
  const places = placesOf(house.media, await house.profiles.list())
  const task = house.tasks.get(taskId)
  out(json ? jsonLine(taskJson(task, places)) : `${taskLine(task, places)}\n`)
  return exitCodes.done
}

/** A line for each change, until everything that was named (or else everything) is over or needs somebody. */
async function watch(house: House, command: Of<'watch'>): Promise<number> {
  const { tasks } = house.tasks.snapshot()
  const watched =
    command.ids.length > 0
      ? command.ids.map((id) => taskOf(tasks, id))
      : tasks.filter((task) => exitCodeOfTask(task) === null)
  const places = placesOf(house.media, await house.profiles.list())
  const ended = await follow(
    house,
    watched.map(({ id }) => id),
    {
      start: () => house.start(),
      over: (task) => exitCodeOfTask(task) !== null,
      onChange: (task) => {
        out(command.json ? jsonLine(taskJson(task, places)) : `${taskLine(task, places)}\n`)
      },
    },
  )
  return ended === 'interrupted' ? exitCodes.interrupted : exitCodes.done
}

/** The result that was kept, or else what the service still has. */
async function fetchResult(house: House, command: Of<'fetch'>): Promise<number> {
  const folder = dirname(command.out)
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new MienError('usage', { reason: `--out: ${folder} is not a folder that can be written to` }, { cause })
  })
  const task = taskOf(house.tasks.snapshot().tasks, command.id)
  const kept = task.result === null ? null : house.media.path(task.result.mediaId)
  const copied =
    kept !== null &&
    (await copyFile(kept, command.out).then(
      () => true,
      () => false,
    ))
  if (!copied) {
    if (task.objectId === null) throw new MienError('file-missing', { name: task.title })
    if (task.profileId === embeddedProfileId) await house.startService()
    const client = house.profiles.client(task.profileId)
    const answer = (await client.fetchTasks([task.objectId])).found.get(task.objectId)
    if (!answer?.resultUrl) throw new MienError('file-missing', { name: task.title })
    await client.download(answer.resultUrl, command.out, { wanted: 'video' })
  }
  out(command.json ? jsonLine({ id: task.id, output: command.out }) : `${command.out}\n`)
  return exitCodes.done
}
