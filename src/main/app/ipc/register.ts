/**
 * @file The only place that receives messages of the studio: checks the sender, validates the argument, calls the
 * handler, and returns the answer in its envelope. Every error gets a code.
 */
import { ipcMain, type WebContents, type WebFrameMain } from 'electron'
import type { z } from 'zod'
import { MienError, toErrorBody, type Envelope } from '@shared/errors.ts'
import { channel, type Call, type Event, type FileCall, type FilesCall } from '@shared/ipc/calls.ts'
import type { Schemas } from '@shared/ipc/arguments.ts'
import { contract, type Argument, type Contract, type Group } from '@shared/ipc/contract.ts'
import { nameDiskFull } from '../../machine/disk/disk-errors.ts'

type Answer<M> = M extends Call<infer Ret> | FileCall<infer Ret> | FilesCall<infer Ret> ? Ret : never

/** Names of a group's methods, without its events. */
type Methods<G extends Group> = {
  [M in keyof Contract[G]]: Contract[G][M] extends { kind: 'event' } ? never : M
}[keyof Contract[G]]
type Events<G extends Group> = {
  [M in keyof Contract[G]]: Contract[G][M] extends { kind: 'event' } ? M : never
}[keyof Contract[G]]

export type GroupHandlers<G extends Group> = {
  readonly [M in Methods<G>]: (argument: Argument<G, M>) => Answer<Contract[G][M]> | Promise<Answer<Contract[G][M]>>
}
export type Handlers = { readonly [G in Group]: GroupHandlers<G> }
type Payload<M> = M extends Event<infer P> ? P : never
/** Sends an event of the contract to the studio. */
export type Send = <G extends Group, E extends Events<G>>(group: G, event: E, payload: Payload<Contract[G][E]>) => void

/** What answers the calls. */
export interface IpcAnswers {
  handlers: Handlers
  schemas: Schemas
}

export interface IpcDeps {
  /** The page may call before they are there, and waits. */
  answers: Promise<IpcAnswers>
  /** The studio's web contents; null while there is no window. */
  studio: () => WebContents | null
  log: (message: string, error?: unknown) => void
}

/** Whether to accept a message: only from the main frame of the studio window, showing our own page. */
export function isStudioFrame(frame: WebFrameMain | null, studio: WebContents | null): boolean {
  if (frame === null || studio === null || studio.isDestroyed()) return false
  return frame === studio.mainFrame && frame.origin === 'app://studio'
}

/** Registers every method of the contract. */
export function registerIpc(deps: IpcDeps): void {
  for (const [group, members] of Object.entries(contract)) {
    for (const [method, { kind }] of Object.entries(members)) {
      if (kind === 'event') continue
      const name = channel(group, method)
      ipcMain.handle(name, async (event, argument: unknown): Promise<Envelope<unknown>> => {
        try {
          if (!isStudioFrame(event.senderFrame, deps.studio())) throw new MienError('forbidden')
          const { handlers, schemas } = await deps.answers
          // Safe: the mapped types above guarantee both; TypeScript can't check a lookup by name.
          const handler = lookUp(handlers, group, method) as (argument: unknown) => unknown
          const schema = lookUp(schemas, group, method) as z.ZodType | undefined
          return { ok: true, value: await handler(parseArgument(schema, argument, name)) }
        } catch (error) {
          const body = toErrorBody(nameDiskFull(error))
          if (body.code === 'internal' || body.code === 'forbidden') deps.log(`${name} failed`, error)
          return { ok: false, error: body }
        }
      })
    }
  }
}

function lookUp(table: object, group: string, method: string): unknown {
  const members: unknown = Reflect.get(table, group)
  return typeof members === 'object' && members !== null ? Reflect.get(members, method) : undefined
}

/** @throws MienError `bad-argument`, with the first invalid field */
export function parseArgument(schema: z.ZodType | undefined, argument: unknown, name: string): unknown {
  if (schema === undefined) {
    if (argument === undefined) return undefined
    throw new MienError('bad-argument', { method: name, field: '', reason: 'no argument expected' })
  }
  const parsed = schema.safeParse(argument)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new MienError('bad-argument', {
    method: name,
    field: issue?.path.join('.') ?? '',
    reason: issue?.message ?? '',
  })
}

/** Creates a function that sends events to the studio; does nothing while there is no window. */
export const eventSender =
  (studio: () => WebContents | null): Send =>
  (group, event, payload) => {
    const contents = studio()
    if (contents && !contents.isDestroyed()) contents.send(channel(group, event as string), payload)
  }
