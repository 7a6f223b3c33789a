import { expect, it, vi } from 'vitest'
import { CrashLimit } from '../../../../../src/main/app/window/crash-limit.ts'

it('lets a page be loaded again twice in a minute, and asks from the third crash on', () => {
  const limit = new CrashLimit()
  const at = (ms: number): boolean => {
    vi.spyOn(Date, 'now').mockReturnValue(ms)
    return limit.mayReload()
  }
  expect([at(0), at(10_000), at(20_000), at(30_000)]).toEqual([true, true, false, false])
  expect(at(200_000)).toBe(true)
})
