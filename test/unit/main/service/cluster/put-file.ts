/** @file `put-file.js STORAGE NAME PATH`: puts a file, as a process that can be killed. */
import { openStorage } from '../../../../../src/main/service/cluster/storage/open-storage.ts'

const [address = '', name = '', path = ''] = process.argv.slice(2)
await openStorage(address, process.env).put(name, path)
