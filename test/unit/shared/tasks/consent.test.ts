import { expect, it } from 'vitest'
import { mayUseFace } from '@shared/tasks/consent.ts'

it.each([
  [{ confirmedAt: null, origin: null }, false],
  [{ confirmedAt: 1, origin: null }, true],
  [{ confirmedAt: null, origin: 'sample' as const }, true],
])('a face with %j may be used: %s', (face, may) => expect(mayUseFace(face)).toBe(may))
