/** @file Which pictures are taken for the same person's. */
import { expect, it } from 'vitest'
import type { FaceFlaw } from '@shared/engine/engine.ts'
import { personError } from '../../../src/renderer/engine/source/same-person.ts'

const other = { code: 'picture-other-person', details: {} }
const covered = { code: 'face-covered', details: { part: 'unsure' } }

it.each<[string, number, FaceFlaw[], object | undefined]>([
  ['a like face', 0.67, [], undefined],
  ['a like face that is partly covered', 0.5, ['covered'], undefined],
  ['an unlike face', 0.27, [], other],
  ['an unlike face that is turned', 0.1, ['turned'], other],
  ['an unlike face, partly covered, which may be the same', 0.2, ['turned', 'covered'], covered],
])('judges %s', (_what, cosine, flaws, body) => expect(personError(cosine, flaws)?.body).toEqual(body))
