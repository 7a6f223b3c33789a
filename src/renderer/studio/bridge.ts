/** @file The bridge as the studio's code uses it: an answer, or a thrown MienError. */
import { MienError, type Envelope } from '@shared/mien-error.ts'
import { contract, type Bridge, type RawBridge } from '@shared/ipc.ts'

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

/** Members of kind `event` pass through; calls and file calls lose their envelope. */
export function makeBridge(raw: RawBridge): Bridge {
  const groups = Object.entries(contract).map(([group, members]) => {
    // The contract's own entries are the keys, so the lookups below exist by construction.
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
