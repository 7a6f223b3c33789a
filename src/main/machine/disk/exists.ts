import { access } from 'node:fs/promises'

/** Whether there is a file or a folder. */
export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
