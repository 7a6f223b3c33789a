/** @file Which Node is enough. Pure. */

/**
 * The scripts need Node 20, the tools and tests Node 24, which linux-x64 gets as a dependency.
 * @param {string} version of the running Node, without a `v`
 * @param {string} platform
 * @param {string} arch
 * @returns {string | null} what is wrong and what to do; null when nothing is
 */
export function nodeProblem(version, platform, arch) {
  const wanted = platform === 'linux' && arch === 'x64' ? 20 : 24
  if (Number.parseInt(version, 10) >= wanted) return null
  return `Node ${version} is too old: Mien needs Node ${wanted} or newer here. Install Node 24 (https://nodejs.org/en/download) and try again.`
}
