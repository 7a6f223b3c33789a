/** A satisfiable range of bytes, both ends included. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a `Range` header for a file of `size` bytes (RFC 9110, section 14). One range only: several are ignored and
 * the whole file is sent, which the RFC allows. `null`: send the whole file; `unsatisfiable`: answer 416.
 */
export function parseByteRange(header: string | null, size: number): ByteRange | null | 'unsatisfiable' {
  if (header === null) return null
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  if (!match) return header.trim().startsWith('bytes=') && header.includes(',') ? null : 'unsatisfiable'
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return 'unsatisfiable'
  if (first === '') {
    const length = Number(last)
    if (length === 0 || size === 0) return 'unsatisfiable'
    return { start: Math.max(0, size - length), end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start >= size || end < start ? 'unsatisfiable' : { start, end }
}
