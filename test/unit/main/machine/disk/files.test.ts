import { expect, it } from 'vitest'
import { retryBusy, usualPausesMs } from '../../../../../src/main/machine/disk/files.ts'

const failure = (code: string): Error => Object.assign(new Error(code), { code })

/** Fails with these codes, one after the other, then succeeds. */
function failing(...codes: string[]): { work: () => Promise<string>; calls: () => number } {
  let calls = 0
  const work = async (): Promise<string> => {
    calls += 1
    const code = codes.shift()
    if (code !== undefined) throw failure(code)
    return 'done'
  }
  return { work, calls: () => calls }
}

it('tries again while another program holds the file', async () => {
  const { work, calls } = failing('EPERM', 'EBUSY', 'EACCES')
  expect(await retryBusy(work)).toBe('done')
  expect(calls()).toBe(4)
})

it('gives up in the end, with the last error', async () => {
  const { work, calls } = failing(...Array.from({ length: 20 }, () => 'EBUSY'))
  const pausesMs = usualPausesMs.map((ms) => ms / 100)
  await expect(retryBusy(work, pausesMs)).rejects.toMatchObject({ code: 'EBUSY' })
  expect(calls()).toBe(7)
})

it.each(['ENOENT', 'ENOSPC', 'EISDIR'])('does not try again after %s', async (code) => {
  const { work, calls } = failing(code)
  await expect(retryBusy(work)).rejects.toMatchObject({ code })
  expect(calls()).toBe(1)
})
