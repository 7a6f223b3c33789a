/** @file Derives titles and names from file names: "astronaut-clip.mp4" → "Astronaut clip". */
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

/** Derives a person's name from a file name: "mae-jemison.jpg" → "Mae Jemison". */
export const personFromName = (name: string): string =>
  titleFromName(name).replaceAll(/(?<= )\p{Ll}/gu, (letter) => letter.toUpperCase())
