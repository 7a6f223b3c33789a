/** @file Types of a policy source and its problems. */

/** Values by their dotted names in the file. */
export interface PolicySource {
  where: string
  values: Record<string, unknown>
}

export interface PolicyProblem {
  /** Path of the file, or name of the variable. */
  where: string
  problem: 'syntax' | 'unknown' | 'invalid'
  /** Names of the values, like `updates.channel`. */
  names: string[]
}
