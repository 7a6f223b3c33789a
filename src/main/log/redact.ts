/** @file The one place where secrets are taken out of a text before it is kept or handed on. Pure. */
import { homedir } from 'node:os'

/** A name that says that a secret follows: of a header, of a field, of a variable. Its length is limited for the sake of time. */
const secretName = String.raw`(?<![\w-])(?:[\w-]{0,80}(?:[_-]key|[_-]sk|[_-]sig|apikey|authorization|token|password|passwd|secret|signature|credential)[\w-]{0,80}|sk|key|sig)`
/** `"` and `'`, also as they look inside of JSON inside of JSON. */
const quote = String.raw`(?:\\*["'])?`

/** Home folders, queries and credentials of addresses, and values that look like keys. */
const secrets: readonly [RegExp, string][] = [
  // Authorization: Bearer abc; X-Service-Apikey: abc; "key": "abc"; MIEN_RELEASE_KEY=abc
  [
    new RegExp(String.raw`(${secretName}${quote}\s*[:=]\s*${quote}(?:(?:bearer|basic|token)\s+)?)[^\s"',}\\]+`, 'gi'),
    '$1…',
  ],
  [/\b((?:bearer|basic)\s+)[A-Za-z0-9+/._~-]{8,}=*/gi, '$1…'],
  [/\bsk[-_][A-Za-z0-9_-]{6,}/g, 'sk-…'],
  // Only from where a scheme begins: else a long word takes minutes.
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'@]+@/gi, '$1…@'],
  [/(?<![a-z0-9+.-])([a-z][a-z0-9+.-]*:\/\/[^\s?#"'\\]{1,2000})[?#][^\s"'\\]*/gi, '$1?…'],
  // A user's name may hold spaces, as long as the path goes on behind it.
  [
    /(?:\/home\/|\/Users\/|[A-Z]:(?:\\{1,4}|\/)Users(?:\\{1,4}|\/))(?:[^/\\\s"':]+(?: [^/\\\s"':]+){1,3}(?=[/\\])|[^/\\\s"':]+)/gi,
    '~',
  ],
]

/** This user's own home, wherever it is, as a path and as it stands in JSON and in an address. */
const homes: readonly string[] = [homedir(), JSON.stringify(homedir()).slice(1, -1), encodeURI(homedir())].filter(
  (home) => home.length > 3,
)

/** A text without what must not be kept. */
export function redact(text: string, home: readonly string[] = homes): string {
  const homeless = home.reduce((rest, path) => rest.replaceAll(path, '~'), text)
  return secrets.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), homeless)
}
