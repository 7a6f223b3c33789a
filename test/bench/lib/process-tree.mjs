/** @file Memory and processor time of a process and all its descendants, from /proc (Linux). */
import { readFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** @returns {Map<number, number>} each process's parent */
function parents() {
  const all = new Map()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = read(`/proc/${name}/stat`)
    // The command stands in brackets and may hold anything; the parent is the second field after it.
    const parent = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
    if (parent) all.set(Number(name), Number(parent))
  }
  return all
}

/**
 * @param {number} pid
 * @returns {number[]} the process and all below it
 */
export function treeOf(pid) {
  const all = parents()
  const tree = [pid]
  for (const member of tree) for (const [child, parent] of all) if (parent === member) tree.push(child)
  return tree
}

/**
 * The proportional set size of a tree: memory shared by several processes counts once.
 * @param {number} pid
 * @returns {{ mb: number, processes: number }} MiB
 */
export function pssOf(pid) {
  const tree = treeOf(pid)
  return { mb: tree.reduce((sum, member) => sum + pssOfOne(member), 0), processes: tree.length }
}

/**
 * @param {number} pid
 * @returns {number} MiB of the process alone
 */
export const pssOfOne = (pid) => Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')?.[1] ?? 0) / 1024

/** Seconds of processor time that a tree has used, without processes that have ended. @param {number} pid */
export const cpuOf = (pid) => (sumOf(pid, 11) + sumOf(pid, 12)) / 100

/** Page faults of a tree without reading from a disk: fresh memory, mostly. @param {number} pid */
export const faultsOf = (pid) => sumOf(pid, 7)

/** The sum of a field of `stat` over a tree, counted from the state. @param {number} pid @param {number} field */
function sumOf(pid, field) {
  const values = treeOf(pid).map((member) => {
    const stat = read(`/proc/${member}/stat`) ?? ''
    return stat === '' ? 0 : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[field])
  })
  return values.reduce((sum, value) => sum + value, 0)
}

/** Microseconds that a page fault takes on this machine: up to 0.3 on bare metal, far more on some virtual machines. */
export function faultMicroseconds() {
  const bytes = 64e6
  const began = performance.now()
  const fresh = Buffer.alloc(bytes, 1)
  const filled = performance.now()
  fresh.fill(2)
  return (filled - began - (performance.now() - filled)) / (bytes / 4096 / 1000)
}

/** Bytes that a tree has read from files and pipes, without processes that have ended. @param {number} pid */
export const bytesReadBy = (pid) =>
  treeOf(pid)
    .map((member) => Number(/^rchar: (\d+)/m.exec(read(`/proc/${member}/io`) ?? '')?.[1] ?? 0))
    .reduce((sum, bytes) => sum + bytes, 0)

/** Whether a process is there and not merely waiting for its parent to notice its end. */
export function isRunning(/** @type {number} */ pid) {
  const stat = read(`/proc/${pid}/stat`)
  return stat !== null && !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
}

/**
 * Asks an app to end, and waits until nothing of it is left, so that the next start finds a quiet machine.
 * @param {import('node:child_process').ChildProcess} child
 */
export async function quit(child) {
  const tree = treeOf(child.pid ?? 0)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  await ended
  clearTimeout(timer)
  for (const end = Date.now() + 5000; Date.now() < end && tree.some(isRunning);) await sleep(50)
  await sleep(300)
}

/** @returns {string | null} null for a process that has ended meanwhile */
function read(/** @type {string} */ path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
