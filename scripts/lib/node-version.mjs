/** @file Checks the Node version. Pure. */

/**
 * The scripts need Node 20. The tools and tests need Node 24, which linux-x64 gets as a dependency.
 * @param {string} version of the running Node, without `v`
 * @param {string} platform
 * @param {string} arch
 * @returns {string | null} the problem and how to solve it; null if there is none
 */
export function nodeProblem(version, platform, arch) {
  const wanted = platform === 'linux' && arch === 'x64' ? 20 : 24
  if (Number.parseInt(version, 10) >= wanted) return null
  return `Node ${version} is too old: Mien needs Node ${wanted} or newer here. Install Node 24 (https://nodejs.org/en/download) and try again.`
}
