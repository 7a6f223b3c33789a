import { expect, it } from 'vitest'
import { parseServerCommand } from '../../../../../src/main/cli/args/server-args.ts'

const parse = (...args: string[]) => parseServerCommand(['serve', ...args], '/')

it('announces a server only if asked', () => {
  expect(parse('--host', '0.0.0.0')).toMatchObject({ announce: false })
  expect(parse('--host', '0.0.0.0', '--announce')).toMatchObject({ announce: true })
})

it.each([
  ['that only this computer reaches', []],
  ['without encryption', ['--host', '0.0.0.0', '--plain-http']],
  ['with a given certificate', ['--host', '0.0.0.0', '--certificate', 'a.pem', '--certificate-key', 'b.pem']],
])('refuses to announce a server %s', (_which, args) => {
  expect(() => parse(...args)).not.toThrow()
  expect(() => parse(...args, '--announce')).toThrow(expect.objectContaining({ code: 'usage' }))
})
