/** @file File names for results. Pure but for the look whether a name is taken. */

// Characters that Windows refuses in names, and control characters (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).

const forbidden = /[<>:"/\\|?*\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g
const reserved = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i

/** A title as a file name without extension: safe on every system, never empty, at most 80 characters. */
export function safeName(title: string): string {
  const cleaned = title
    .replaceAll(forbidden, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 80)
    .replace(/[. ]+$/, '')
  const name = cleaned.replace(/^[. ]+/, '')
  if (name === '') return 'Swap'
  return reserved.test(name) ? `${name} swap` : name
}

/** `name.ext`, or `name 2.ext`, `name 3.ext`, … the first that is not taken. */
export function freeName(name: string, extension: string, taken: (fileName: string) => boolean): string {
  for (let count = 1; ; count += 1) {
    const fileName = count === 1 ? `${name}.${extension}` : `${name} ${String(count)}.${extension}`
    if (!taken(fileName)) return fileName
  }
}
