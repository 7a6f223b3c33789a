/** @file Ids of clips that the user split. A piece has the same id again after an undo and a redo. */
import type { Split } from './people.ts'

/** Greater than the ids of clips that scans find. */
const perMs = 100_000

/** Id of the clip that begins at a split. What is before keeps the id of the clip that was split. */
export const pieceId = ({ clipId, atMs }: Split): number => atMs * perMs + clipId

/** Id of the scan's clip that a clip is a piece of, or is. */
export const scannedId = (id: number): number => id % perMs
