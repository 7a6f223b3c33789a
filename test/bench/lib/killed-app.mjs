/** @file The app without a window (kills-main.ts) in a process group of its own, and its service's client. */
import { openAsBlob } from 'node:fs'
import { copyFile, mkdir, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { killGroup, startMain } from './engine-process.mjs'

/** @typedef {{ main: string, dir: string, durable: string, method: object | null }} Places */

export class KilledApp {
  #gone = false

  /** @param {Places} places @param {(line: any) => void} onLine */
  constructor({ main, dir, durable, method }, onLine) {
    const env = { MIEN_KILLS_DIR: dir, MIEN_KILLS_DURABLE: durable, MIEN_KILLS_METHOD: JSON.stringify(method) }
    this.child = startMain(main, env)
    /** @type {Promise<{ baseUrl: string, adminToken: string } | null>} */
    this.service = new Promise((resolve) => {
      this.ended = new Promise((/** @type {(value: void) => void} */ end) => {
        this.child.once('exit', () => {
          this.#gone = true
          resolve(null)
          end()
        })
      })
      createInterface({ input: this.child.stdout }).on('line', (text) => {
        const line = JSON.parse(text)
        if (line.service) resolve(line.service)
        else onLine(line)
      })
    })
  }

  get gone() {
    return this.#gone
  }

  crashEngine() {
    this.child.stdin.write('crash\n')
  }

  /** Ends every process at once. */
  async kill() {
    killGroup(this.child.pid)
    await this.ended
  }
}

export class Client {
  /** @param {string} baseUrl @param {Record<string, string>} headers */
  constructor(baseUrl, headers) {
    this.baseUrl = baseUrl
    this.headers = headers
  }

  /** @param {string} path @param {object | null} [body] @param {Record<string, string>} [more] */
  async ask(path, body = null, more = {}) {
    const json = body && { method: 'POST', body: JSON.stringify(body) }
    const headers = { ...this.headers, ...(json ? { 'content-type': 'application/json' } : {}), ...more }
    const response = await fetch(this.baseUrl + path, { ...json, headers })
    if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status })
    return /** @type {Promise<any>} */ (response.json())
  }

  /** @param {string} path */
  async upload(path) {
    const body = await openAsBlob(path)
    const address = `${this.baseUrl}/v1/assets/${basename(path)}`
    const response = await fetch(address, { method: 'PUT', body, headers: this.headers })
    return /** @type {Promise<{ url: string }>} */ (response.json())
  }
}

/**
 * What a power cut leaves of a job's folder: of each file what was synced, or also something of what came after.
 * @param {string} work @param {string} names what was synced, by name @param {() => number} random
 */
export async function cutPower(work, names, random) {
  const there = await readdir(work).catch(() => null)
  if (!there) return
  await mkdir(names, { recursive: true })
  const synced = await readdir(names)
  for (const name of new Set([...there, ...synced])) {
    const path = join(work, name)
    const lot = random()
    const min = await stat(join(names, name)).then(
      ({ size }) => size,
      () => 0,
    )
    const { size } = await stat(path).catch(() => ({ size: 0 }))
    if (lot < 0.2) continue
    if (lot < 0.4 && there.includes(name)) await truncate(path, Math.max(min, Math.floor(random() * size)))
    else if (synced.includes(name)) await copyFile(join(names, name), path)
    else await rm(path, { force: true })
  }
}

/** Fills a disk until nothing more fits. @param {string} file */
export async function fillDisk(file) {
  const block = Buffer.alloc(1 << 20)
  for (const piece of [block, block.subarray(0, 4096)]) {
    for (let room = true; room;) {
      room = await writeFile(file, piece, { flag: 'a' }).then(
        () => true,
        () => false,
      )
    }
  }
}
