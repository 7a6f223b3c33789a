/** @file Key routes of the embedded service, for the app only. */
import type { Context } from 'hono'
import { deleteKeyRequestSchema, maxU64, newKeyRequestSchema } from '@shared/service/wire.ts'
import type { Env } from './guard.ts'
import { json, HttpProblem, readJson } from './json.ts'
import type { Keys, StoredKey } from '../backend.ts'
import { u64 } from '../jobs/task-item.ts'

/** Parses a user id from a query. */
export function userIdOf(text: string | undefined): string {
  if (text === undefined || !/^\d{1,20}$/.test(text) || BigInt(text) > maxU64)
    throw new HttpProblem(400, 'request-refused', 'userId isn’t valid. It must be an unsigned 64-bit integer.')
  return String(BigInt(text))
}

const keyView = (key: StoredKey) => ({
  id: key.id,
  userId: u64(key.userId),
  mask: key.mask,
  lastFour: key.lastFour,
  createdAt: new Date(key.createdAt).toISOString(),
})

export class KeyRoutes {
  constructor(private readonly keys: Keys) {}

  create = async (c: Context<Env>): Promise<Response> => {
    const { value } = await readJson(c, newKeyRequestSchema)
    const key = await this.keys.create(String(value.userId))
    return json({ sk: key.sk, ...keyView(key) })
  }

  list = async (c: Context<Env>): Promise<Response> => {
    const keys = await this.keys.list(userIdOf(c.req.query('userId')))
    return json({ list: keys.map(keyView) })
  }

  delete = async (c: Context<Env>): Promise<Response> => {
    const { value } = await readJson(c, deleteKeyRequestSchema)
    if (!(await this.keys.revoke(value))) throw new HttpProblem(404, 'not-found', 'This key doesn’t exist.')
    return json({})
  }
}
