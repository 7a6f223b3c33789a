/** @file Types of what is used of semver, which comes without. All but `valid` throw a TypeError for an invalid version. */
declare module 'semver' {
  /** The version in its normal form; null: invalid. */
  export function valid(version: string): string | null
  export function prerelease(version: string): readonly (string | number)[] | null
  export function gt(version: string, other: string): boolean
  export function lt(version: string, other: string): boolean
  export function lte(version: string, other: string): boolean
}
