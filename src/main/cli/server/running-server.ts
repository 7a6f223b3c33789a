/** @file What a running server writes into its folder for `mien pair`. Has no secrets. */
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'

const runningSchema = z.object({
  /** For this computer. */
  baseUrl: z.string(),
  /** For creators. */
  address: z.string(),
  /** For creators to pin; null: they trust the certificate anyway, or there is none. */
  fingerprint: z.string().nullable(),
  /** Fingerprint of the certificate; null: plain HTTP. */
  certificate: z.string().nullable(),
})
export type RunningServer = z.infer<typeof runningSchema>

export const runningFile = (dir: string): string => join(dir, 'running.json')

/** Null: no server runs there. */
export async function readRunning(dir: string): Promise<RunningServer | null> {
  try {
    return runningSchema.parse(JSON.parse(await readFile(runningFile(dir), 'utf8')))
  } catch {
    return null
  }
}

interface Listening {
  host: string
  port: number
  names: readonly string[]
  scheme: 'http' | 'https'
  /** Addresses under which the server is reached. */
  own: readonly string[]
}

/** The address for creators: the first name that was given, or the first address that other computers may reach. Pure. */
export function addressFor({ host, port, names: [name], scheme, own }: Listening): string {
  if (name?.includes('://')) return name.replace(/\/+$/, '')
  const isAny = host === '0.0.0.0' || host === '::'
  const reachable = own.find((each) => isIPv4(each) && !each.startsWith('127.')) ?? 'localhost'
  const chosen = name ?? (isAny ? reachable : host)
  return `${scheme}://${chosen.includes(':') ? `[${chosen}]` : chosen}:${String(port)}`
}
