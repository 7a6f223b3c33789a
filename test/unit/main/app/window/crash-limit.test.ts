import { expect, it } from 'vitest'
import { CrashLimit } from '../../../../../src/main/app/window/crash-limit.ts'

it('lets a page be loaded again twice in a minute, and asks from the third crash on', () => {
  let now = 0
  const limit = new CrashLimit(() => now)
  const at = (ms: number): boolean => {
    now = ms
    return limit.mayReload()
  }
  expect([at(0), at(10_000), at(20_000), at(30_000)]).toEqual([true, true, false, false])
  expect(at(200_000)).toBe(true)
})
