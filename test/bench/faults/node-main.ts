/** @file A child process in Node; the folder is its argument. */
import { openNodeMien } from '../../fault/node-mien.ts'
import { serve } from './serve.ts'

const mien = await openNodeMien(process.argv[2] ?? '')
await serve(mien)
process.exit(0)
