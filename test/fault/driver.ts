/** @file What the fault runs do with a Mien, wherever it runs: in this process, in Node or in Electron. */

/** What a verdict needs to know of a swap. */
export interface Row {
  id: string
  title: string
  state: string
  pause: string | null
  objectId: string | null
  error: string | null
  fileName: string | null
}

export interface ServiceSpec {
  name: string
  baseUrl: string
  key: string
}

export interface Mien {
  /** Folder in which results are kept. */
  readonly resultsDir: string
  /** Adds a service; returns its profile's id. */
  addService(service: ServiceSpec): Promise<string>
  setKey(profileId: string, key: string): Promise<void>
  setBase(profileId: string, baseUrl: string): Promise<void>
  submit(profileId: string, title: string): Promise<string>
  rows(): Promise<Row[]>
  /** Exceptions that nobody caught. */
  crashes(): Promise<number>
}

export type Command =
  | { do: 'addService'; service: ServiceSpec }
  | { do: 'setKey'; profileId: string; key: string }
  | { do: 'setBase'; profileId: string; baseUrl: string }
  | { do: 'submit'; profileId: string; title: string }
  | { do: 'rows' }
  | { do: 'crashes' }
  | { do: 'end' }
