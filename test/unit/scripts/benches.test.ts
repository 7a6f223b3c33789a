import { expect, it } from 'vitest'
import { saysPass } from '../../../scripts/lib/benches.mjs'

it.each([
  ['{"kills":3,"pass":true}\n', true],
  ['kill 1: app\n{"pass":true}\n', true],
  ['{"kills":3,"pass":false}\n', false],
  ['{"kills":3}\n', false],
  ['{"pass":true}\nkilled\n', false],
  ['', false],
])('a benchmark’s output %j passed: %j', (stdout, passed) => expect(saysPass(stdout)).toBe(passed))
