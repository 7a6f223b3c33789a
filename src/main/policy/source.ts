/** @file What a policy's source says, and what is wrong with it. */

/** A source's values by their names in the file, with dots. */
export interface PolicySource {
  where: string
  values: Record<string, unknown>
}

export interface PolicyProblem {
  /** The file's path, or the variable's name. */
  where: string
  problem: 'syntax' | 'unknown' | 'invalid'
  /** Names of the values, like `updates.channel`. */
  names: string[]
}
