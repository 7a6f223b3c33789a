/** @file Commands for services and their keys. */
import { MienError, usage } from '@shared/errors.ts'
import { findingsOf } from '@shared/i18n/connection-text.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { plain } from '@shared/plain.ts'
import type { AppContext } from '../../app/app-context.ts'
import { exitCodeFor, exitCodes } from '../output/exit-codes.ts'
import { keyOwner, named } from './lookup.ts'
import type { CommandOf } from '../args/args.ts'
import { profileJson, profileLine, print } from '../output/output-lines.ts'

export async function addProfile({ profiles, tasks }: AppContext, command: CommandOf<'profile add'>): Promise<number> {
  const { json } = command
  const wanted = command.name?.trim().toLowerCase()
  const taken = [...profiles.names().values()].find((each) => each.toLowerCase() === wanted)
  if (taken !== undefined) throw usage(m.cli_service_exists({ name: plain(taken) }))
  if ('pair' in command) {
    const code = command.pair === '-' ? await fromStdin() : command.pair
    const paired = await profiles.pair(code, 'keychain', { name: command.name })
    await tasks.pauses.paired(paired)
    print(json, profileJson(paired), profileLine(paired))
    return exitCodes.done
  }
  const { name, baseUrl, keyHeader, durationUnit, allowHttp } = command
  if (keyHeader !== null && !/^[A-Za-z0-9-]{1,64}$/.test(keyHeader)) throw usage(m.cli_key_header())
  const input = { name, baseUrl, durationUnit, allowHttp, ...(keyHeader === null ? {} : { keyHeader }) }
  const view = await profiles.save(input)
  print(json, profileJson(view), profileLine(view))
  return exitCodes.done
}

export async function removeProfile({ profiles }: AppContext, command: CommandOf<'profile remove'>): Promise<number> {
  await profiles.remove(named(profiles, command.name).id)
  return exitCodes.done
}

export async function testProfile(context: AppContext, command: CommandOf<'profile test'>): Promise<number> {
  const { id, name, embedded } = named(context.profiles, command.name)
  if (embedded) await context.startService()
  const report = await context.profiles.test(id)
  // The error is printed below.
  const lines = findingsOf({ ...report, error: null }, name).map(({ text }) => text)
  print(command.json, { profile: name, ...report }, lines.join('\n'))
  if (report.error === null) return exitCodes.done
  process.stderr.write(`${errorSentence(report.error)}\n`)
  return exitCodeFor(report.error)
}

export async function keys(
  { profiles }: AppContext,
  command: CommandOf<'key set' | 'key clear' | 'key new' | 'key list' | 'key revoke'>,
): Promise<number> {
  const id = keyOwner(profiles, command.profile)
  const printResult = (value: object, line: string): number => {
    print(command.json, value, line)
    return exitCodes.done
  }
  switch (command.command) {
    case 'key set': {
      const view = await profiles.setKey(id, await fromStdin(), 'keychain')
      return printResult(view.key, profileLine(view))
    }
    case 'key clear': {
      const view = await profiles.clearKey(id)
      return printResult(view.key, profileLine(view))
    }
    case 'key new': {
      const { sk, kept } = await profiles.makeKey(id, command.userId)
      return printResult({ sk, lastFour: sk.slice(-4), kept }, sk)
    }
    case 'key list': {
      for (const { id: keyId, masked, active } of await profiles.listKeys(id, command.userId))
        printResult({ id: keyId, masked, active }, `${keyId ?? '-'}  ${masked}${active ? `  ${m.key_in_use()}` : ''}`)
      return exitCodes.done
    }
    case 'key revoke': {
      const listed = await profiles.listKeys(id, command.userId)
      const row = listed.find((key) => key.id === command.key || key.masked.endsWith(command.key))
      if (!row) throw new MienError('not-found', { name: command.key })
      await profiles.serviceKeys.revoke(id, row.row)
      return printResult({ id: row.id, masked: row.masked, revoked: true }, row.masked)
    }
  }
}

/** Reads all of stdin. Every user of the computer could read a key in the arguments. */
async function fromStdin(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > 10_000) break
  }
  return text.replace(/\r?\n$/, '')
}
