/**
 * @file `npm run release:sign -- FOLDER [--days N]`: signs the feeds of a release with the key in MIEN_RELEASE_KEY
 * (base64 of PKCS #8 DER; during key rotation two keys, separated by a comma). `--new-key` creates a key pair.
 */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { notesOf, readKey, signFeeds } from './lib/release-feed.mjs'
import { Failure, inRoot, main, readJson, say } from './lib/run.mjs'

const usage = 'npm run release:sign -- FOLDER [--days N]   or   npm run release:sign -- --new-key'

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  say('The public half; put it in src/main/app/updates/public-keys.json in the place of one that is not used any more:')
  process.stdout.write(`${publicKey.export({ format: 'der', type: 'spki' }).toString('base64')}\n`)
  say('The private half; keep it as the secret MIEN_RELEASE_KEY and nowhere else:')
  process.stdout.write(`${secret}\n`)
}

/** Keys from the environment. Rejects keys that are not built into Mien: every Mien would reject such a feed. */
function keysFromEnvironment() {
  const keys = (process.env['MIEN_RELEASE_KEY'] ?? '').split(',').filter(Boolean)
  if (keys.length === 0) throw new Failure('MIEN_RELEASE_KEY is not set: the feed was not signed.')
  /** @type {string[]} */
  const builtIn =
    process.env['MIEN_BUILD_UPDATE_KEYS']?.split(',') ?? readJson(inRoot('src/main/app/updates/public-keys.json'))
  for (const key of keys) {
    if (!builtIn.includes(readKey(key).publicKey))
      throw new Failure(`The key ${readKey(key).id} is none of the keys built into Mien (public-keys.json).`)
  }
  return keys
}

await main(async () => {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: { days: { type: 'string', default: '90' }, 'new-key': { type: 'boolean', default: false } },
  })
  if (values['new-key']) {
    newKey()
    return 0
  }
  const [dir] = positionals
  const days = Number(values.days)
  if (dir === undefined || !(days > 0)) throw new Failure(usage)
  const { version } = readJson(inRoot('package.json'))
  const notes = notesOf(readFileSync(inRoot('CHANGELOG.md'), 'utf8'), version)
  const made = await signFeeds(dir, { privateKeys: keysFromEnvironment(), notes, now: Date.now(), days })
  if (made.length === 0) throw new Failure(`${dir} holds no feed (latest*.yml).`)
  say(`Signed for ${days} days: ${made.join(', ')}`)
  return 0
})
