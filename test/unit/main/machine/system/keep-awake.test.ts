import { expect, it } from 'vitest'
import { KeepAwake } from '../../../../../src/main/machine/system/keep-awake.ts'

it('blocks sleep once, and lets go of the same block', () => {
  const asked: string[] = []
  const keepAwake = new KeepAwake({
    start: (type) => asked.push(`start ${type}`),
    stop: (id) => asked.push(`stop ${String(id)}`) > 0,
  })
  for (const on of [false, true, true, false, false, true]) keepAwake.set(on)
  const start = 'start prevent-app-suspension'
  expect(asked).toEqual([start, 'stop 1', start])
})
