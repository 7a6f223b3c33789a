import { expect, it } from 'vitest'
import { nodeProblem } from '../../../scripts/lib/node-version.mjs'

it.each([
  ['20.0.0', 'linux', 'x64'],
  ['24.0.0', 'linux', 'arm64'],
  ['24.21.0', 'darwin', 'arm64'],
  ['26.1.0', 'win32', 'x64'],
])('the Node that runs the scripts is enough: %s on %s-%s', (version, platform, arch) =>
  expect(nodeProblem(version, platform, arch)).toBeNull(),
)

it.each([
  ['18.20.8', 'linux', 'x64', 'needs Node 20 or newer'],
  ['22.14.0', 'linux', 'arm64', 'needs Node 24 or newer'],
  ['22.14.0', 'darwin', 'arm64', 'needs Node 24 or newer'],
  ['9.0.0', 'win32', 'x64', 'needs Node 24 or newer'],
])(
  'the Node that runs the scripts is too old, and what to do is said: %s on %s-%s',
  (version, platform, arch, needed) => {
    const problem = nodeProblem(version, platform, arch)
    expect(problem).toContain(`Node ${version} is too old`)
    expect(problem).toContain(needed)
    expect(problem).toContain('Install Node 24')
  },
)
