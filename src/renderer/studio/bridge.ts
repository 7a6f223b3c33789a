/** @file The bridge that the studio calls: each call returns its result or throws a MienError. */
import { MienError, type Envelope } from '@shared/mien-error.ts'
import { contract, type Bridge, type RawBridge } from '@shared/ipc/contract.ts'

declare global {
  interface Window {
    readonly mien: RawBridge
  }
}

type AnyCall = (input?: unknown) => Promise<Envelope<unknown>>

const unwrap =
  (call: AnyCall) =>
  async (input?: unknown): Promise<unknown> => {
    const envelope = await call(input)
    if (envelope.ok) return envelope.value
    throw new MienError(envelope.error.code, envelope.error.details)
  }

/** Passes members of kind `event` through, and unwraps the envelope of calls and file calls. */
export function makeBridge(raw: RawBridge): Bridge {
  const groups = Object.entries(contract).map(([group, members]) => {
    // The keys come from the contract, so the lookups below always succeed.
    const side = raw[group as keyof RawBridge] as unknown as Record<string, AnyCall>
    const unwrapped = Object.entries(members).map(([method, { kind }]) => {
      const call = side[method]
      if (call === undefined) throw new Error(`The bridge has no ${group}.${method}`)
      return [method, kind === 'event' ? call : unwrap(call)] as const
    })
    return [group, Object.fromEntries(unwrapped)] as const
  })
  return Object.fromEntries(groups) as unknown as Bridge
}
