import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { longSubjects } from '../../../scripts/check-commits.mjs'
import { sharedDir } from '../../fixtures/temp-dir.ts'

const fits = 'x'.repeat(72)

it.each([
  ['nothing', ''],
  ['a short subject', 'abc1234 Skip the fsync for data we can refetch\n'],
  ['a subject of 72 characters', `abc1234 ${fits}\n`],
  ['an emoji as one character', `abc1234 ${'x'.repeat(71)}🎬\n`],
  ['an empty subject', 'abc1234 \n'],
])('longSubjects accepts %s', (_, log) => expect(longSubjects(log)).toEqual([]))

it('longSubjects names each subject of more than 72 characters', () => {
  expect(longSubjects(`aaa1111 ${fits}y\nbbb2222 Fine\nccc3333 ${fits} z\n`)).toEqual([
    `aaa1111 has a subject of 73 characters, more than 72: ${fits}y`,
    `ccc3333 has a subject of 74 characters, more than 72: ${fits} z`,
  ])
})

describe('the command', () => {
  const folder = sharedDir()
  let env: NodeJS.ProcessEnv

  beforeAll(() => {
    const who = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org' }
    const committer = { GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org' }
    env = { ...process.env, ...who, ...committer, GIT_DIR: join(folder, '.git'), GIT_WORK_TREE: folder }
    const git = (...args: string[]) => execFileSync('git', args, { env, stdio: 'ignore' })
    git('init')
    for (const subject of ['First', fits, `${fits}!`]) git('commit', '--allow-empty', '--no-gpg-sign', '-m', subject)
  })

  const script = fileURLToPath(new URL('../../../scripts/check-commits.mjs', import.meta.url))
  const check = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { env, encoding: 'utf8' })

  it.each([
    [
      'accepts a range whose subjects fit',
      ['HEAD~2..HEAD~1'],
      true,
      '1 commit(s), 0 with a subject that is too long\n',
    ],
    ['fails on a range with a longer one', ['HEAD~2..HEAD'], false, '2 commit(s), 1 with a subject that is too long'],
    ['fails on no range', [], false, 'Usage'],
    ['fails on an option in the place of a range', ['--all'], false, 'Usage'],
    ['fails on a range that git does not have', ['no-such..HEAD'], false, 'git can’t read no-such..HEAD'],
  ])('%s', (_, args, isFine, message) => {
    const { status, stdout, stderr } = check(...args)
    expect([status === 0, stdout + stderr]).toEqual([isFine, expect.stringContaining(message)])
  })
})
