/** @file Addresses of storages. */
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { openStorage, s3Options } from '../../../../../src/main/cli/server/open-storage.ts'
import type { S3StorageOptions } from '../../../../../src/main/service/cluster/storage/s3-storage.ts'
import { thrownBy } from '../../../../fixtures/thrown-by.ts'

describe('the address of a storage', () => {
  const env = { AWS_ACCESS_KEY_ID: 'ID', AWS_SECRET_ACCESS_KEY: 'SECRET' }
  const given = { accessKeyId: 'ID', secretAccessKey: 'SECRET' }

  const amazon = (region: string): string => `https://s3.${region}.amazonaws.com`

  it.each<[string, Partial<S3StorageOptions>]>([
    [
      's3://studio',
      { bucket: 'studio', prefix: '', region: 'us-east-1', style: 'host', endpoint: amazon('us-east-1') },
    ],
    ['s3://studio/a/b/?region=eu-west-3', { prefix: 'a/b/', endpoint: amazon('eu-west-3') }],
    [
      's3://my.studio?endpoint=http://minio:9000/s3/&region=x',
      { bucket: 'my.studio', style: 'path', endpoint: 'http://minio:9000/s3', region: 'x' },
    ],
    ['s3://a%2Fb:c%40d@studio', { credentials: { accessKeyId: 'a/b', secretAccessKey: 'c@d' } }],
    ['s3://studio/', { credentials: given }],
  ])('%s is understood', (address, options) => expect(s3Options(address, env)).toMatchObject(options))

  it.each([
    ['', /folder, or an address/],
    ['https://example.com/bucket', /folder, or an address/],
    ['postgres://h/d', /folder, or an address/],
    ['file://a%2Fb', /folder, or an address/],
    ['s3://', /isn’t valid/],
    ['s3:studio', /isn’t valid/],
    ['s3://A_B', /isn’t valid/],
    ['s3://studio:9000/mien', /isn’t valid/],
    ['s3://studio?endpiont=https://h', /isn’t valid/],
    ['s3://studio?endpoint=minio:9000', /isn’t valid/],
    ['s3://studio?endpoint=https://a:b@h', /isn’t valid/],
    ['s3://ID:%SECRET@studio', /isn’t valid/],
    ['s3://ID@studio', /access key/],
  ])('%j is refused', (address, reason) => {
    const thrown = thrownBy(() => openStorage(address, env))
    expect(thrown).toMatchObject({ code: 'usage', details: { reason: expect.stringMatching(reason) as string } })
    expect(inspect(thrown)).not.toContain('%SECRET')
  })

  it('needs a key, or two variables', () => {
    expect(() => openStorage('s3://studio', { AWS_ACCESS_KEY_ID: 'ID' })).toThrow(/access key/)
  })
})
