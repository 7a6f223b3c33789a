/** A file of the diagnostics zip. */
export interface DiagnosticsFile {
  name: string
  /** The whole text, or only its end if it is long. */
  text: string
  bytes: number
}
