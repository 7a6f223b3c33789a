/** @file A Mien in a process of its own, told what to do by lines of JSON on stdin; it answers each with one on stdout. */
import { createInterface } from 'node:readline'
import type { Command, Mien } from '../../fault/driver.ts'

function obey(mien: Mien, command: Exclude<Command, { do: 'end' }>): Promise<unknown> {
  switch (command.do) {
    case 'addService':
      return mien.addService(command.service)
    case 'setKey':
      return mien.setKey(command.profileId, command.key)
    case 'setBase':
      return mien.setBase(command.profileId, command.baseUrl)
    case 'submit':
      return mien.submit(command.profileId, command.title)
    case 'rows':
      return mien.rows()
    case 'crashes':
      return mien.crashes()
  }
}

/** Serves until it is told to end, or its stdin closes. */
export async function serve(mien: Mien): Promise<void> {
  const say = (line: object): void => {
    process.stdout.write(`@${JSON.stringify(line)}\n`)
  }
  say({ ready: true, resultsDir: mien.resultsDir })
  for await (const line of createInterface({ input: process.stdin })) {
    // Our own caller wrote it.
    const command = JSON.parse(line) as Command
    if (command.do === 'end') return
    try {
      say({ value: (await obey(mien, command)) ?? null })
    } catch (error) {
      say({ error: String(error) })
    }
  }
}
