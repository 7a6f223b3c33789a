/** @file Derives a title from a file name: "astronaut-clip.mp4" → "Astronaut clip". */
const longest = 80

export function titleFromName(name: string): string {
  const stem = name.replace(/\.[A-Za-z0-9]{1,5}$/, '')
  const words = stem
    .replace(/[_\-+.]+/g, ' ')
    .replace(/%20/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (words === '') return stem.trim()
  return (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, longest)
}
