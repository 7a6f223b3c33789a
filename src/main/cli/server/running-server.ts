/** @file The file that a running server writes into its folder for `mien pair`. It contains no secrets. */
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'

const runningSchema = z.object({
  /** The address for this computer. */
  baseUrl: z.string(),
  /** The address for creators. */
  address: z.string(),
  /** Creators pin this certificate; null: it is publicly trusted, or there is none. */
  fingerprint: z.string().nullable(),
  /** Fingerprint of the certificate; null: plain HTTP. */
  certificate: z.string().nullable(),
})
export type RunningServer = z.infer<typeof runningSchema>

export const runningFile = (dir: string): string => join(dir, 'running.json')

/** Null: no server runs in this folder. */
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
  /** Addresses of this computer. */
  own: readonly string[]
}

/** The address for creators: the first name, or else the first address that other computers can reach. Pure. */
export function addressFor({ host, port, names: [name], scheme, own }: Listening): string {
  if (name?.includes('://')) return name.replace(/\/+$/, '')
  const isAny = host === '0.0.0.0' || host === '::'
  const reachable = own.find((each) => isIPv4(each) && !each.startsWith('127.')) ?? 'localhost'
  const chosen = name ?? (isAny ? reachable : host)
  return `${scheme}://${chosen.includes(':') ? `[${chosen}]` : chosen}:${String(port)}`
}
