/** @file Gives a worker the screen and the keyring that are its own (scripts/test.mjs starts one for each). */
// Written by scripts/test.mjs.
const sessions = JSON.parse(process.env['MIEN_SESSIONS'] ?? '[]') as Record<string, string>[]
Object.assign(process.env, sessions[Number(process.env['VITEST_POOL_ID']) - 1])
