/** @file Kinds of members of an IPC contract, and what they are as functions. */
import type { Envelope } from '../errors.ts'

declare const argument: unique symbol
declare const answer: unique symbol

export interface Call<Arg, Ret> {
  readonly kind: 'call'
  readonly [argument]?: Arg
  readonly [answer]?: Ret
}
export interface FileCall<Ret> {
  readonly kind: 'file'
  readonly [answer]?: Ret
}
export interface FilesCall<Ret> {
  readonly kind: 'files'
  readonly [answer]?: Ret
}
export interface Event<Payload> {
  readonly kind: 'event'
  readonly [argument]?: Payload
}

export const call = <Arg, Ret>(): Call<Arg, Ret> => ({ kind: 'call' })
export const fileCall = <Ret>(): FileCall<Ret> => ({ kind: 'file' })
export const filesCall = <Ret>(): FilesCall<Ret> => ({ kind: 'files' })
export const event = <Payload>(): Event<Payload> => ({ kind: 'event' })

/** Channel of a method or an event. Never write channel names by hand. */
export const channel = (group: string, method: string): string => `mien:${group}.${method}`

type Caller<Arg, Ret> = [Arg] extends [void] ? () => Promise<Ret> : (arg: Arg) => Promise<Ret>

/** A member of the contract as a function; its result with or without the envelope. */
export type Member<M, Enveloped extends boolean> =
  M extends Call<infer Arg, infer Ret>
    ? Caller<Arg, Enveloped extends true ? Envelope<Ret> : Ret>
    : M extends FileCall<infer Ret>
      ? (file: File) => Promise<Enveloped extends true ? Envelope<Ret> : Ret>
      : M extends FilesCall<infer Ret>
        ? (files: readonly File[]) => Promise<Enveloped extends true ? Envelope<Ret> : Ret>
        : M extends Event<infer Payload>
          ? (listener: (payload: Payload) => void) => () => void
          : never
