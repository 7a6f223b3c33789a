/**
 * Removes control and bidi characters from untrusted text, so that it can't move the cursor, begin a line or reverse
 * other text. Of more than `max` characters, the rest is left out.
 */
export function plain(text: string, max = Infinity): string {
  // The slice is long enough, and bounds the work on a text of megabytes.
  const clean = text
    .slice(0, max * 2 + 2)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ')
  const characters = Array.from(clean)
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : clean
}
