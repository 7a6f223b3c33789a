/**
 * @file `node scripts/check-commits.mjs RANGE`: checks the commit subjects of a range like `origin/main..HEAD`, merges
 * left out. Needs nothing but Node and git.
 */
import { Failure, isMain, main, run } from './lib/run.mjs'

/** What `git log --oneline`, GitHub and an 80-column terminal show whole. */
const maxLength = 72

/**
 * @param {string} log one commit a line: abbreviated hash, space, subject
 * @returns {string[]} one sentence for each subject that is too long
 */
export function longSubjects(log) {
  return log.split('\n').flatMap((line) => {
    const [, hash = '', subject = ''] = /^(\S+) (.*)$/.exec(line) ?? []
    // Code points, so that an emoji counts as one.
    const length = [...subject].length
    return length > maxLength
      ? [`${hash} has a subject of ${length} characters, more than ${maxLength}: ${subject}`]
      : []
  })
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const [range, ...rest] = process.argv.slice(2)
    // A range alone: no option may reach git.
    if (!range || range.startsWith('-') || rest.length > 0) {
      throw new Failure('Usage: node scripts/check-commits.mjs RANGE, for example origin/main..HEAD')
    }
    const { code, output, stdout } = await run('git', ['log', '--no-merges', '--format=%h %s', range, '--'])
    if (code !== 0) throw new Failure(`git can’t read ${range}: ${output.trim()}`)
    const problems = longSubjects(stdout)
    for (const problem of problems) console.log(problem)
    const count = stdout.split('\n').filter(Boolean).length
    console.log(`${count} commit(s), ${problems.length} with a subject that is too long`)
    return problems.length > 0 ? 1 : 0
  })
}
