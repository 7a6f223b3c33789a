/** @file No test is about speed: what waits for a condition waits nearly as long as its test may take (vitest.config.ts). */
import { vi } from 'vitest'

/** Below every test's own limit, so that the condition is told and not only that time ran out. */
const patienceMs = 50_000

const { waitFor } = vi
vi.waitFor = (check, options) =>
  waitFor(check, typeof options === 'number' ? options : { timeout: patienceMs, ...options })
