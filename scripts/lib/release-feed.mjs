/** @file Signs electron-builder's description of a release. See src/main/app/updates/feed.ts for the format. */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'

/** Must equal the prefix in src/main/app/updates/feed.ts; a test signs with this one and verifies with the other. */
const signedPrefix = 'mien-update-1\n'
const dayMs = 24 * 3_600_000

/** @typedef {{ url: string, sha512: string, size?: number, blockMapSize?: number }} ListedFile */

/** Converts a private key (base64 of PKCS #8 DER) to key objects, the public key as built into the app, and an id. */
export function readKey(/** @type {string} */ base64) {
  const key = createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' })
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The key is no Ed25519 key')
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return { key, publicKey: der.toString('base64'), id: createHash('sha256').update(der).digest('hex').slice(0, 16) }
}

/**
 * Returns the text of a feed: a promise with its signatures.
 * @param {Record<string, unknown>} promise
 * @param {string[]} privateKeys
 */
export function signPromise(promise, privateKeys) {
  const signed = JSON.stringify(promise)
  const signatures = privateKeys.map((base64) => {
    const { key, id } = readKey(base64)
    return { key: id, signature: sign(null, Buffer.from(signedPrefix + signed), key).toString('base64') }
  })
  return `${JSON.stringify({ signed, signatures }, null, 2)}\n`
}

/**
 * Checks every `*.yml` feed in a folder against the files beside it, then signs it. Returns the names of the new files.
 * @param {string} dir
 * @param {{ privateKeys: string[], notes: string, now: number, days: number }} options
 */
export async function signFeeds(dir, { privateKeys, notes, now, days }) {
  const made = []
  for (const name of readdirSync(dir).filter((each) => /^[\w-]+\.yml$/.test(each) && !each.startsWith('builder-'))) {
    const { version, files } = readFeed(join(dir, name))
    for (const file of files) await compare(dir, name, file)
    const feed = basename(name, '.yml')
    const promise = {
      ...{ format: 1, app: 'mien', feed, version },
      date: new Date(now).toISOString(),
      expires: new Date(now + days * dayMs).toISOString(),
      files: files.map(({ url, sha512, blockMapSize }) => ({
        ...{ name: url, sha512, size: statSync(join(dir, url)).size },
        ...(blockMapSize === undefined ? {} : { blockMapSize }),
      })),
      notes,
    }
    writeFileSync(join(dir, `${feed}.json`), signPromise(promise, privateKeys))
    made.push(`${feed}.json`)
  }
  return made
}

/** @returns {{ version: string, files: ListedFile[] }} */
function readFeed(/** @type {string} */ path) {
  /** @type {any} */
  const feed = parse(readFileSync(path, 'utf8'))
  if (typeof feed?.version !== 'string' || !Array.isArray(feed.files) || feed.files.length === 0)
    throw new Error(`${basename(path)} is no feed of electron-builder`)
  return feed
}

/** @param {string} dir @param {string} feed @param {ListedFile} file */
async function compare(dir, feed, { url, sha512, size }) {
  const path = join(dir, url)
  if (basename(url) !== url || !existsSync(path)) throw new Error(`${feed} names ${url}, which is not beside it`)
  if (size !== undefined && statSync(path).size !== size) throw new Error(`${feed} gives another size for ${url}`)
  const hash = createHash('sha512')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  if (hash.digest('base64') !== sha512) throw new Error(`${feed} gives another hash for ${url}`)
}

/** The section of a version in CHANGELOG.md without its heading; "Unreleased" if the version has none yet. */
export function notesOf(/** @type {string} */ changelog, /** @type {string} */ version) {
  const sections = changelog.split(/^## /m).slice(1)
  const section =
    sections.find((text) => text.startsWith(version) || text.startsWith(`[${version}]`)) ??
    sections.find((text) => /^\[?Unreleased/.test(text))
  return section === undefined ? '' : section.slice(section.indexOf('\n')).trim()
}
