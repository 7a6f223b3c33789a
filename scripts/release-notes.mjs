/**
 * @file `node scripts/release-notes.mjs TAG`: prints the release notes from CHANGELOG.md to stdout. Fails if the tag is
 * not the version in package.json, or the changelog has no notes for it.
 */
import { readFileSync } from 'node:fs'
import { notesOf } from './lib/release-feed.mjs'
import { Failure, inRoot, main, readJson } from './lib/run.mjs'

await main(async () => {
  const [tag = ''] = process.argv.slice(2)
  const { version } = readJson(inRoot('package.json'))
  if (tag !== `v${version}`) throw new Failure(`The tag is ${tag || 'missing'}, but package.json says ${version}.`)
  const changelog = readFileSync(inRoot('CHANGELOG.md'), 'utf8')
  const notes = notesOf(changelog, version)
  const isReleased = changelog
    .split('\n')
    .some((line) => line.startsWith(`## ${version}`) || line.startsWith(`## [${version}]`))
  if (!isReleased || notes === '') throw new Failure(`CHANGELOG.md says nothing about ${version}.`)
  process.stdout.write(`${notes}\n`)
})
