/** @file A sample of the fault matrix (the whole of it, and the kills: `npm run -s bench -- faults`). */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sample } from '../fault/cases.ts'
import { openHosts, type Hosts } from '../fault/hosts.ts'
import { keyPrefix, runMatrix } from '../fault/matrix.ts'
import { openNodeMien, type NodeMien } from '../fault/node-mien.ts'
import { hastyClock } from '../fixtures/task-service.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'

const dir = sharedDir()
let hosts: Hosts
let mien: NodeMien

beforeAll(async () => {
  hosts = await openHosts()
  mien = await openNodeMien(dir, hastyClock)
})
afterAll(() => {
  mien.dispose()
  hosts.stop()
})

it(
  'loses nothing, sends nothing twice, believes no wrong result, and shows no key to another host',
  { timeout: 240_000 },
  async () => {
    const results = await runMatrix(mien, sample(), hosts, { deadlineMs: 200_000, graceMs: 500, wrongMs: 1000 })
    const broken = results.filter(({ lost, doubled, wrongDone }) => lost || doubled || wrongDone)
    expect(broken).toEqual([])
    // A fault that never played proves nothing.
    expect(results.filter(({ name, played }) => played === 0 && !/^(?:dns|refused|tls)/.test(name))).toEqual([])
    expect(await mien.crashes()).toBe(0)
    expect(hosts.heard()).not.toBe('')
    expect(hosts.heard()).not.toContain(keyPrefix)
    for (const name of readdirSync(dir).filter((each) => each.startsWith('library')))
      if (statSync(join(dir, name)).isFile()) expect(readFileSync(join(dir, name)).includes(keyPrefix)).toBe(false)
  },
)
