/**
 * @file What goes into the diagnostics: facts about the program, this computer and the swaps, and the logs. Names of
 * people, files and swaps stay out, and every text goes through redact. Pure.
 */
import type { Task } from '@shared/task.ts'
import type { Settings } from '@shared/ipc.ts'
import { redact } from '../log/redact.ts'
import type { ZipEntry } from './zip.ts'

export interface Facts {
  versions: Record<string, string>
  settings: Settings
  /** Names of what is locked. */
  locked: readonly string[]
  /** Services as settings keep them; their names and addresses do not leave. */
  services: readonly { id: string; baseUrl: string | null; keyKept: string }[]
  tasks: readonly Task[]
  computer: Record<string, unknown>
  codecs: Record<string, boolean>
  /** Crash dumps by size; they themselves stay where they are. */
  crashes: readonly { at: string; bytes: number }[]
  /** Log files, older ones first. */
  logs: readonly { name: string; text: string }[]
}

/** Most of a log that is handed on, from its end. */
const maxLogChars = 500_000

/**
 * The files of the zip. `secrets`: values that must not be in there wherever they turn up, keys above all; what is
 * shorter than four characters is no secret.
 */
export function diagnosticsFiles(facts: Facts, secrets: readonly string[]): ZipEntry[] {
  const names = new Map(
    facts.services.map(({ id, baseUrl }, index) => [id, baseUrl === null ? 'here' : `service-${String(index)}`]),
  )
  const known = new Map([...secretSpellings(secrets), ...hostNames(facts.services, names)])
  // The longest first, so that none is cut by another; before what is told by its form, which may cut one, too.
  const replacements = [...known].toSorted(([a], [b]) => b.length - a.length)
  const clean = (text: string): string =>
    redact(replacements.reduce((rest, [secret, instead]) => rest.replaceAll(secret, instead), text))
  const json = (value: unknown): string => clean(`${JSON.stringify(value, null, 2)}\n`)
  const { lastProfileId, ...settings } = facts.settings
  const texts: [name: string, text: string][] = [
    ['versions.json', json(facts.versions)],
    ['settings.json', json({ ...settings, lastService: names.get(lastProfileId) ?? null, locked: facts.locked })],
    ['services.json', json(facts.services.map(({ id, keyKept }) => ({ name: names.get(id), key: keyKept })))],
    ['swaps.json', json(facts.tasks.map((task) => describeTask(task, names.get(task.profileId) ?? 'gone')))],
    ['computer.json', json({ ...facts.computer, codecs: facts.codecs })],
    ['crashes.json', json(facts.crashes)],
    ...facts.logs.map(({ name, text }): [string, string] => [`logs/${name}`, logEnd(withoutFileNames(clean(text)))]),
  ]
  return texts.map(([name, text]) => ({ name, data: Buffer.from(text) }))
}

/** A secret as it is, and as it stands in JSON, in an address and in base64. */
function secretSpellings(secrets: readonly string[]): [string, string][] {
  return secrets
    .filter((secret) => secret.length >= 4)
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret.toWellFormed()),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ])
    .map((spelling) => [spelling, '…'])
}

/** Where services are, by the names that stand for them here. This computer's own addresses say nothing. */
function hostNames(services: Facts['services'], names: ReadonlyMap<string, string>): [string, string][] {
  return services.flatMap(({ id, baseUrl }): [string, string][] => {
    const url = baseUrl === null ? null : URL.parse(baseUrl)
    if (url === null || isLoopback(url.hostname)) return []
    const name = names.get(id) ?? ''
    return [
      [url.host, name],
      [url.hostname, name],
    ]
  })
}

const isLoopback = (hostname: string): boolean => /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)

const quotedNames =
  /(\b(?:name|folder|folderName|service|title|file|path|dest)\b\\*["']?\s*:\s*)(\\*["'`])(?:(?!\2)[^\n])*\2/g
const quotedPaths = /(\\*["'`])(?:~|[A-Z]:|\/(?!v\d\/))(?:(?!\1)[^\n])*?(\.\w{1,5})?\1/gi
/** Only from where a name begins: else a long line takes minutes. */
const mediaNames = /(?<![^\\/\s"'`])[^\\/\s"'`]+\.(mp4|m4v|mov|webm|mkv|avi|wmv|jpe?g|png|webp|avif|gif|bmp|heic)\b/gi

/** A log without what people call their files and swaps. */
const withoutFileNames = (log: string): string =>
  log.replace(quotedNames, '$1$2…$2').replace(quotedPaths, '$1…$2$1').replace(mediaNames, '….$1')

/** From the beginning of a line, so that no half of anything comes first. */
function logEnd(log: string): string {
  if (log.length <= maxLogChars) return log
  const end = log.slice(-maxLogChars)
  return end.slice(end.indexOf('\n') + 1)
}

/** A swap without what it shows and what it is called. */
function describeTask(task: Task, service: string) {
  const { id, state, pause, serviceStatus, progress, error, result, createdAt, startedAt, endedAt, face, video } = task
  return {
    ...{ id, service, state, pause, serviceStatus, progress },
    error: error === null ? null : { code: error.code, details: withoutNames(error.details) },
    created: time(createdAt),
    started: time(startedAt),
    ended: time(endedAt),
    face: {
      ...{ width: face.width, height: face.height, bytes: face.sizeBytes },
      mayBeUsed: face.origin ?? (face.confirmedAt === null ? 'not confirmed' : 'confirmed'),
    },
    video: {
      ...{ width: video.width, height: video.height, bytes: video.sizeBytes, durationMs: video.durationMs },
      ...{ fps: video.fps, codec: video.codec, audioCodec: video.audioCodec },
    },
    result:
      result === null
        ? null
        : {
            frames: result.frames,
            swappedFrames: result.swappedFrames,
            workFps: result.workFps,
            bytes: result.sizeBytes,
          },
    events: task.events.map(({ at, what }) => ({ at: time(at), what })),
  }
}

const nameLike = new Set(['name', 'folder', 'folderName', 'service', 'host', 'url', 'title', 'file'])

const withoutNames = (details: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(details).filter(([key]) => !nameLike.has(key)))

const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
