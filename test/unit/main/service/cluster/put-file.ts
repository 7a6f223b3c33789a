/** @file `put-file.ts STORAGE NAME PATH`: puts a file, and ends itself like a kill when a part of it is written. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import '../../../../shots/shared-alias.ts'

const { openStorage } = await import('../../../../../src/main/cli/server/open-storage.ts')
const [address = '', name = '', path = ''] = process.argv.slice(2)
const incoming = join(address, 'incoming')
setInterval(() => {
  if (readdirSync(incoming).some((part) => statSync(join(incoming, part)).size > 0))
    process.kill(process.pid, 'SIGKILL')
}, 0)
await openStorage(address, process.env).put(name, path)
