/** @file `mien verify`: prints what the credentials of files say. */
import { toErrorBody, type ErrorBody } from '@shared/errors.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { verificationLines, verificationText } from '@shared/i18n/verification-text.ts'
import { plain } from '@shared/plain.ts'
import type { Verdict } from '@shared/files/verification.ts'
import { verifyFile, type Verify } from '../../provenance/verify-file.ts'
import type { CommandOf } from '../args/args.ts'
import { exitCodeOfVerdicts } from '../output/exit-codes.ts'
import { errorJson, print } from '../output/output-lines.ts'
import { openRun, type RunOptions } from './run-context.ts'

/** Continues with the next file after one that can't be read. */
export async function runVerify(
  { files, json }: CommandOf<'verify'>,
  options: RunOptions,
  interrupted: AbortSignal,
): Promise<number> {
  const context = openRun(options, options.dir)
  const verify: Verify = (path, signal) => context.credentials.verify(path, signal)
  const verdicts: (Verdict | ErrorBody)[] = []
  try {
    for (const path of files) {
      try {
        const verification = await verifyFile(path, verify, interrupted)
        const text = verificationText(verification)
        const lines = [`${path}  ${text.title}`, ...verificationLines(text)]
        print(json, { path, ...verification }, lines.map(plainLine).join('\n'))
        verdicts.push(verification.verdict)
      } catch (thrown) {
        interrupted.throwIfAborted()
        const error = toErrorBody(thrown)
        process.stderr.write(`${plainLine(errorSentence(error))}\n`)
        if (json) print(json, { path, error: errorJson(error) }, '')
        verdicts.push(error)
      }
    }
  } finally {
    await context.dispose()
  }
  return exitCodeOfVerdicts(verdicts)
}

const plainLine = (line: string): string => plain(line).trimEnd()
