/** @file The cases: every fault at every point where it means something, and addresses that lead nowhere. Data only. */
import { faults, type Fault } from './faults.ts'
import { points, type Point } from './faulty-service.ts'

/** An address that is no service, put in the service's place for a while. */
export const wrongAddresses = ['dns', 'refused', 'tls-protocol', 'tls-self-signed'] as const
export type WrongAddress = (typeof wrongAddresses)[number]

export interface Case {
  name: string
  fault: string
  point: Point
  wire: Fault | null
  address: WrongAddress | null
  /** States that a swap may end in; in all others it is lost. */
  mayEnd: readonly string[]
}

/** Faults under which a good answer still arrives. */
const harmless = new Set(['clock-skew', 'slow-drip', 'json-bom', 'continue-then-nothing-else'])

function endsOf(fault: Fault, point: Point): string[] {
  if (point !== 'create') return fault.mayFail?.includes(point) ? ['kept', 'failed'] : ['kept']
  if (fault.refuses) return fault.mayFail?.includes('create') && !fault.newKey ? ['kept', 'failed'] : ['kept']
  return harmless.has(fault.name) ? ['kept'] : ['kept', 'unconfirmed']
}

const wired: Case[] = faults.flatMap((fault) =>
  fault.points.map((point) => ({
    name: `${fault.name} at ${point}`,
    fault: fault.name,
    point,
    wire: fault,
    address: null,
    mayEnd: endsOf(fault, point),
  })),
)

const addressed: Case[] = wrongAddresses.flatMap((address) =>
  points
    // An address is wrong from the start (capabilities), in the middle (watch), or in what the service says.
    .filter((point) => ['capabilities', 'watch', 'result', 'cover'].includes(point))
    .map((point) => ({
      name: `${address} at ${point}`,
      fault: address,
      point,
      wire: null,
      address,
      mayEnd: ['kept'],
    })),
)

export const cases: readonly Case[] = [...wired, ...addressed]

/** One or two cases of each fault, none of which takes half a minute by itself. */
export function sample(): Case[] {
  const chosen: Case[] = []
  const seen = new Map<string, number>()
  for (const each of cases.filter(({ wire }) => wire?.slow !== true)) {
    const count = seen.get(each.fault) ?? 0
    const weighty = each.point === 'create' || each.point === 'result' || (count === 0 && each.point === 'watch')
    if (!weighty && each.wire?.points.some((point) => point === 'create' || point === 'watch')) continue
    if (count >= 2) continue
    seen.set(each.fault, count + 1)
    chosen.push(each)
  }
  return chosen
}
