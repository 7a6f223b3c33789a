/** @file The only place that removes secrets from text before it is stored or exported. Pure. */
import { homedir } from 'node:os'

/** A name followed by a secret: of a header, a field or a variable. Its length is limited for performance. */
const secretName = String.raw`(?<![\w-])(?:[\w-]{0,80}(?:[_-]key|[_-]sk|[_-]sig|apikey|authorization|token|password|passwd|secret|signature|credential)[\w-]{0,80}|sk|key|sig)`
/** `"` and `'`, also escaped in nested JSON. */
const quote = String.raw`(?:\\*["'])?`

/** Patterns: home folders, queries and credentials in URLs, values that look like keys. */
const secrets: readonly [RegExp, string][] = [
  // Authorization: Bearer abc; X-Service-Apikey: abc; "key": "abc"; MIEN_RELEASE_KEY=abc
  [
    new RegExp(String.raw`(${secretName}${quote}\s*[:=]\s*${quote}(?:(?:bearer|basic|token)\s+)?)[^\s"',}\\]+`, 'gi'),
    '$1…',
  ],
  [/\b((?:bearer|basic)\s+)[A-Za-z0-9+/._~-]{8,}=*/gi, '$1…'],
  [/\bsk[-_][A-Za-z0-9_-]{6,}/g, 'sk-…'],
  // Match only at the start of a scheme; otherwise a long word takes minutes.
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'@]+@/gi, '$1…@'],
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/[^\s?#"'\\]{1,2000})[?#][^\s"'\\]*/gi, '$1?…'],
  // A user name may contain spaces if the path continues after it.
  [
    /(?:\/home\/|\/Users\/|[A-Z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/))(?:[^/\\\s"':]+(?: [^/\\\s"':]+){1,3}(?=[/\\])|[^/\\\s"':]+)/gi,
    '~',
  ],
]

/** This user's home folder as a path, in JSON and in a URL. */
const homes: readonly string[] = [homedir(), JSON.stringify(homedir()).slice(1, -1), encodeURI(homedir())].filter(
  (home) => home.length > 3,
)

/** Removes secrets and personal paths from a text. */
export function redact(text: string, home: readonly string[] = homes): string {
  const homeless = home.reduce((rest, path) => rest.replaceAll(path, '~'), text)
  return secrets.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), homeless)
}
