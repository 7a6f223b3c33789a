/**
 * @file Contents of the diagnostics: facts about the program, this computer and the swaps, and the logs. Names of
 * people, files and swaps are left out, and every text is redacted. Pure.
 */
import type { Task } from '@shared/tasks/task.ts'
import type { Settings } from '@shared/settings/settings.ts'
import { redact } from '../../machine/log/redact.ts'

export interface Facts {
  versions: Record<string, string>
  settings: Settings
  /** Names of locked settings. */
  locked: readonly string[]
  /** Services from the settings; their names and addresses are left out. */
  services: readonly { id: string; baseUrl: string | null; keyKept: string }[]
  tasks: readonly Task[]
  computer: Record<string, unknown>
  codecs: Record<string, boolean>
  /** Time and size of crash dumps; the dumps aren't included. */
  crashes: readonly { at: string; bytes: number }[]
  /** Log files, oldest first. */
  logs: readonly { name: string; text: string }[]
}

export interface ReportFile {
  /** With `/` as separator. */
  name: string
  data: Buffer
}

/** Loads fflate only now: it builds its tables when it is loaded. */
export async function zipOf(files: readonly ReportFile[], at: Date): Promise<Uint8Array> {
  // Its build for Node declares a `require`, as electron-vite's does in each chunk.
  const { zipSync } = await import('fflate/browser')
  return zipSync(Object.fromEntries(files.map(({ name, data }) => [name, data])), { mtime: at })
}

/** Max characters of a log, from its end. */
const maxLogChars = 500_000

/**
 * Builds the files of the zip. `secrets`: values to remove everywhere, above all keys; values under four characters are
 * ignored.
 */
export function diagnosticsFiles(facts: Facts, secrets: readonly string[]): ReportFile[] {
  const names = new Map(
    facts.services.map(({ id, baseUrl }, index) => [id, baseUrl === null ? 'here' : `service-${String(index)}`]),
  )
  const known = new Map([...secretSpellings(secrets), ...hostNames(facts.services, names)])
  // Longest first, so that a shorter match doesn't split a longer one; and before the pattern-based redaction, which
  // might.
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

/** A secret as text, JSON, URL-encoded and base64. */
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

/** Replaces service hosts with neutral names. Addresses of this computer reveal nothing. */
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
/** Match only at the start of a name; otherwise a long line takes minutes. */
const mediaNames = /(?<![^\\/\s"'`])[^\\/\s"'`]+\.(mp4|m4v|mov|webm|mkv|avi|wmv|jpe?g|png|webp|avif|gif|bmp|heic)\b/gi

/** Removes names of files and swaps from a log. */
const withoutFileNames = (log: string): string =>
  log.replace(quotedNames, '$1$2…$2').replace(quotedPaths, '$1…$2$1').replace(mediaNames, '….$1')

/** Cuts at the start of a line, so that no partial line comes first. */
function logEnd(log: string): string {
  if (log.length <= maxLogChars) return log
  const end = log.slice(-maxLogChars)
  return end.slice(end.indexOf('\n') + 1)
}

/** Describes a swap without its content and title. */
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
