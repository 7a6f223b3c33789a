import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { parseArgument } from '../../../../../src/main/app/ipc/register.ts'
import { thrownBy } from '../../../../fixtures/thrown-by.ts'

vi.mock('electron', () => ({ ipcMain: {} }))

describe('the argument of a call', () => {
  it('is nothing where the call takes none', () => {
    expect(parseArgument(undefined, undefined, 'tasks.list')).toBeUndefined()
  })

  it.each([[null], [{}], ['x'], [0], [false]])('%j is refused where the call takes none', (argument) => {
    const details = { method: 'tasks.list', field: '', reason: 'no argument expected' }
    const thrown = thrownBy(() => parseArgument(undefined, argument, 'tasks.list'))
    expect(thrown).toMatchObject({ code: 'bad-argument', details })
  })

  it('is read by its schema, and refused with the first field that is wrong', () => {
    const schema = z.strictObject({ ids: z.array(z.string()) })
    expect(parseArgument(schema, { ids: ['a'] }, 'tasks.remove')).toEqual({ ids: ['a'] })
    const thrown = thrownBy(() => parseArgument(schema, { ids: ['a', 1] }, 'tasks.remove'))
    expect(thrown).toMatchObject({ code: 'bad-argument', details: { method: 'tasks.remove', field: 'ids.1' } })
    expect(() => parseArgument(schema, undefined, 'tasks.remove')).toThrow('bad-argument')
  })
})
