/** @file Kinds of members of an IPC contract, and what they are as functions. */
import type { Envelope } from '../errors.ts'

declare const carried: unique symbol

/** A member, and the type of its answer, or of an event's payload. */
interface Kind<K, T> {
  readonly kind: K
  readonly [carried]?: T
}
export type Call<Ret> = Kind<'call', Ret>
export type FileCall<Ret> = Kind<'file', Ret>
export type FilesCall<Ret> = Kind<'files', Ret>
export type Event<Payload> = Kind<'event', Payload>

export const call = <Ret>(): Call<Ret> => ({ kind: 'call' })
export const fileCall = <Ret>(): FileCall<Ret> => ({ kind: 'file' })
export const filesCall = <Ret>(): FilesCall<Ret> => ({ kind: 'files' })
export const event = <Payload>(): Event<Payload> => ({ kind: 'event' })

/** Channel of a method or an event. Never write channel names by hand. */
export const channel = (group: string, method: string): string => `mien:${group}.${method}`

type Caller<Arg, Ret> = [Arg] extends [void] ? () => Promise<Ret> : (arg: Arg) => Promise<Ret>

/** A member of the contract as a function; its result with or without the envelope. */
export type Member<M, Arg, Enveloped extends boolean> =
  M extends Call<infer Ret>
    ? Caller<Arg, Enveloped extends true ? Envelope<Ret> : Ret>
    : M extends FileCall<infer Ret>
      ? (file: File) => Promise<Enveloped extends true ? Envelope<Ret> : Ret>
      : M extends FilesCall<infer Ret>
        ? (files: readonly File[]) => Promise<Enveloped extends true ? Envelope<Ret> : Ret>
        : M extends Event<infer Payload>
          ? (listener: (payload: Payload) => void) => () => void
          : never
