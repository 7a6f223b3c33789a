import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { UploadTarget } from '@shared/service/upload-target.ts'
import { checkedTarget } from '../../../../../src/main/machine/settings/base-url.ts'
import { refusal, UploadBucket } from '../../../../../src/main/remote/uploads/upload-bucket.ts'

const target: UploadTarget = {
  endpoint: 'https://s3.amazonaws.com',
  bucket: 'examplebucket',
  region: 'us-east-1',
  style: 'host',
  prefix: '',
  publicUrl: null,
  lifetimeHours: 24,
  deleteAfter: false,
}
// The example of Amazon's own documentation, below.
const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const at = (change: Partial<UploadTarget>) => new UploadBucket({ ...target, ...change }, credentials, globalThis.fetch)

describe('an address', () => {
  beforeEach(() => vi.useFakeTimers({ now: new Date('2013-05-24T00:00:00Z') }))

  it('is signed as in the example of S3’s documentation', async () => {
    // https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
    const url = new URL(await at({}).address('test.txt'))
    expect(url.origin + url.pathname).toBe('https://examplebucket.s3.amazonaws.com/test.txt')
    expect(url.searchParams.get('X-Amz-Signature')).toBe(
      'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    )
  })

  it.each<[Partial<UploadTarget>, string]>([
    [{ style: 'path' }, 'https://s3.amazonaws.com/examplebucket/a.jpg?'],
    [{ style: 'path', endpoint: 'https://h.example/s3' }, 'https://h.example/s3/examplebucket/a.jpg?'],
    [{ publicUrl: 'https://cdn.example.com/x' }, 'https://cdn.example.com/x/a.jpg'],
  ])('of %j begins with %s', async (change, begins) => {
    expect((await at(change).address('a.jpg')).startsWith(begins)).toBe(true)
  })
})

it.each([
  [403, 'InvalidAccessKeyId', 'upload-refused', 'credentials'],
  [403, 'RequestTimeTooSkewed', 'upload-refused', 'clock'],
  [404, 'NoSuchBucket', 'upload-refused', 'bucket'],
  [301, 'PermanentRedirect', 'upload-refused', 'region'],
  [400, 'AuthorizationHeaderMalformed', 'upload-refused', 'region'],
  [418, '', 'upload-refused', 'other'],
  [503, 'SlowDown', 'service-trouble', undefined],
  [400, 'RequestTimeout', 'service-timeout', undefined],
])('a refusal with %i and %s is %s (%s)', (status, serviceCode, code, reason) => {
  const error = refusal({ status, code: serviceCode }, 'h')
  expect([error.code, error.details['reason']]).toEqual([code, reason])
})

it('a target is kept with whole addresses and a prefix that ends', () => {
  expect(checkedTarget({ ...target, endpoint: ' s3.example.com/ ', prefix: '/swaps/', publicUrl: '' })).toMatchObject({
    endpoint: 'https://s3.example.com',
    prefix: 'swaps/',
    publicUrl: null,
  })
})
