/** @file Opens the storage at an address. Errors never contain the address, because it may contain a secret. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { m } from '@shared/i18n/paraglide/messages.js'
import { usage } from '@shared/errors.ts'
import type { BlobStorage } from '../../service/cluster/storage/blob-storage.ts'
import { FolderStorage } from '../../service/cluster/storage/folder-storage.ts'
import { S3Storage, type S3StorageOptions } from '../../service/cluster/storage/s3-storage.ts'

/**
 * Opens a folder (`/srv/mien`, `file:///srv/mien`) or a bucket
 * (`s3://BUCKET/PREFIX?endpoint=https://…&region=…`). The credentials of a bucket are in the address
 * (`s3://KEY:SECRET@BUCKET`, percent-encoded), or in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Doesn't connect
 * to the storage: see `check`.
 * @throws MienError `usage`
 */
export function openStorage(address: string, env: NodeJS.ProcessEnv): BlobStorage {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(address)?.[1]?.toLowerCase()
  if (scheme === 's3') return new S3Storage(s3Options(address, env))
  if (scheme === 'file') {
    try {
      return new FolderStorage(fileURLToPath(address))
    } catch (error) {
      throw usage(m.cli_storage_address(), error)
    }
  }
  // A letter and a colon are a Windows drive.
  if (scheme !== undefined || address === '') throw usage(m.cli_storage_address())
  return new FolderStorage(resolve(address))
}

/** Defaults to Amazon's endpoint for the region. */
export function s3Options(address: string, env: NodeJS.ProcessEnv): S3StorageOptions {
  const url = URL.parse(address)
  const known = [...(url?.searchParams.keys() ?? [])].every((name) => name === 'endpoint' || name === 'region')
  if (
    !url ||
    !known ||
    url.hash !== '' ||
    url.port !== '' ||
    !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname)
  ) {
    throw usage(m.cli_storage_s3())
  }
  const region = url.searchParams.get('region') ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? 'us-east-1'
  const given = url.searchParams.get('endpoint')
  const endpoint = given === null ? `https://s3.${region}.amazonaws.com` : endpointOf(given)
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '')
  if (!/^[a-z0-9-]{1,40}$/.test(region) || !/^[A-Za-z0-9._/-]{0,200}$/.test(prefix)) throw usage(m.cli_storage_s3())
  const credentials =
    url.username === ''
      ? { accessKeyId: env['AWS_ACCESS_KEY_ID'] ?? '', secretAccessKey: env['AWS_SECRET_ACCESS_KEY'] ?? '' }
      : { accessKeyId: decoded(url.username), secretAccessKey: decoded(url.password) }
  if (credentials.accessKeyId === '' || credentials.secretAccessKey === '') throw usage(m.cli_storage_key())
  return {
    ...{ endpoint, bucket: url.hostname, region, style: given === null ? 'host' : 'path' },
    ...{ prefix: prefix === '' ? '' : `${prefix}/`, credentials },
  }
}

/** Allows http, because the network between a cluster and its storage is often private. */
function endpointOf(text: string): string {
  const url = URL.parse(text)
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === ''
  if (!isPlain) throw usage(m.cli_storage_s3())
  return url.origin + url.pathname.replace(/\/+$/, '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw usage(m.cli_storage_s3())
  }
}
