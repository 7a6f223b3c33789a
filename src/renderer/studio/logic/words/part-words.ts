/** @file Names of the parts in the composer. With one part, it has no number. */
import { m } from '@shared/i18n/paraglide/messages.js'
import type { Handle } from '../compose/parts.ts'

const only = { from: m.part_start, to: m.part_end, whole: m.part_move }
const numbered = { from: m.part_number_start, to: m.part_number_end, whole: m.part_number_move }

export const handleName = (handle: Handle, index: number, count: number): string =>
  count === 1 ? only[handle]() : numbered[handle]({ number: index + 1 })
