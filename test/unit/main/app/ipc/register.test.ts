import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { parseArgument } from '../../../../../src/main/app/ipc/register.ts'

vi.mock('electron', () => ({ ipcMain: {} }))

describe('the argument of a call', () => {
  it('is nothing where the call takes none', () => {
    expect(parseArgument(undefined, undefined, 'tasks.list')).toBeUndefined()
  })

  it.each([[null], [{}], ['x'], [0], [false]])('%j is refused where the call takes none', (argument) => {
    expect(() => parseArgument(undefined, argument, 'tasks.list')).toThrow(
      expect.objectContaining({
        code: 'bad-argument',
        details: { method: 'tasks.list', field: '', reason: 'no argument expected' },
      }),
    )
  })

  it('is read by its schema, and refused with the first field that is wrong', () => {
    const schema = z.strictObject({ ids: z.array(z.string()) })
    expect(parseArgument(schema, { ids: ['a'] }, 'tasks.remove')).toEqual({ ids: ['a'] })
    expect(() => parseArgument(schema, { ids: ['a', 1] }, 'tasks.remove')).toThrow(
      expect.objectContaining({
        code: 'bad-argument',
        details: expect.objectContaining({ method: 'tasks.remove', field: 'ids.1' }) as object,
      }),
    )
    expect(() => parseArgument(schema, undefined, 'tasks.remove')).toThrow('bad-argument')
  })
})
