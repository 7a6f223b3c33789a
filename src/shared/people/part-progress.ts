/** How far the swap of a part is. */
export interface PartProgress {
  taskId: string
  /** 0–1; null: unknown. */
  share: number | null
  etaMs: number | null
}
