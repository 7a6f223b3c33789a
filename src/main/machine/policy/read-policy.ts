/** @file Finds and reads the policy. */
import { readFileSync } from 'node:fs'
import { parseJson } from '@shared/parse-json.ts'
import { joinPolicy, policyValues, type Policy, type PolicyProblem, type PolicySource } from './policy.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The policy file for all users; should be writable by administrators only. The Windows path is fixed: users can set
 * the variable ProgramData, and only native code can query the known folder.
 */
export function policyPath(platform: NodeJS.Platform): string {
  if (platform === 'win32') return 'C:\\ProgramData\\Mien\\policy.json'
  if (platform === 'darwin') return '/Library/Application Support/Mien/policy.json'
  return '/etc/mien/policy.json'
}

interface Found {
  policy: Policy
  problems: PolicyProblem[]
}

/**
 * Reads the policy: the file takes precedence over the environment. MIEN_POLICY only counts if there is no file for all
 * users, so that nobody can bypass that file.
 */
export function readPolicy(
  platform: NodeJS.Platform = process.platform,
  env: Environment = process.env,
  machinePath: string = policyPath(platform),
): Found {
  const own = env['MIEN_POLICY']
  const file = readSource(machinePath) ?? (own === undefined ? null : readSource(own))
  const sources = [...(file?.source ? [file.source] : []), ...fromEnvironment(env)]
  const { policy, problems } = joinPolicy(sources)
  return { policy, problems: [...(file?.problems ?? []), ...problems] }
}

/** Null: there is no file. */
function readSource(where: string): { source: PolicySource | null; problems: PolicyProblem[] } | null {
  let text: string
  try {
    text = readFileSync(where, 'utf8')
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return missing ? null : { source: null, problems: [{ where, problem: 'syntax', names: [] }] }
  }
  const raw = parseJson(text.replace(/^\uFEFF/, ''))
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return { source: null, problems: [{ where, problem: 'syntax', names: [] }] }
  return { source: { where, values: flatten(raw) }, problems: [] }
}

const groups = ['updates', 'credentials']

/** `{"updates": {"check": false}}` → `{"updates.check": false}`; skips `$schema` and similar keys for editors. */
function flatten(raw: object): Record<string, unknown> {
  const entries = Object.entries(raw).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
    if (name.startsWith('$')) return []
    if (!groups.includes(name) || typeof value !== 'object' || value === null) return [[name, value]]
    return Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one])
  })
  return Object.fromEntries(entries)
}

function fromEnvironment(env: Environment): PolicySource[] {
  return Object.values(policyValues).flatMap(({ variable, name }) => {
    const text = env[variable]
    if (text === undefined || text === '') return []
    return [{ where: variable, values: { [name]: valueOf(name, text) } }]
  })
}

function valueOf(name: string, text: string): unknown {
  if (name === 'profiles') return parseJson(text)
  if (name !== 'updates.check') return text
  return { on: true, off: false }[text.toLowerCase()] ?? text
}
