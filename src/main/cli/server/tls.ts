/** @file A server's certificate: the administrator's, or a self-signed one that clients pin by its fingerprint. */
import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { replaceFile } from '../../machine/disk/files.ts'
import * as x509 from '../../provenance/x509.ts'
import { privateMode } from '../../machine/disk/data-folder.ts'
import { fingerprintOf } from '../../remote/pairing/fingerprint.ts'
import type { Tls } from '../../service/http/cluster-server.ts'

export interface ServerCertificate extends Tls {
  /** `sha256/<base64>` of the certificate (DER), as Electron writes it. */
  fingerprint: string
}

const fileName = 'certificate.pem'

const bad = (reason: string, cause?: unknown): MienError => new MienError('bad-certificate', { reason }, { cause })

/** @throws MienError `bad-certificate`: unreadable, other-key, expired */
function checked({ cert, key }: Tls, now: number): ServerCertificate {
  try {
    const certificate = new X509Certificate(cert)
    if (!certificate.checkPrivateKey(createPrivateKey(key))) throw bad('other-key')
    if (Date.parse(certificate.validTo) < now) throw bad('expired')
    return { cert, key, fingerprint: fingerprintOf(certificate.raw) }
  } catch (error) {
    throw error instanceof MienError ? error : bad('unreadable', error)
  }
}

/** Reads the administrator's certificate with its chain, and its key (PEM). @throws MienError `bad-certificate` */
export async function givenCertificate(
  certPath: string,
  keyPath: string,
  now = Date.now(),
): Promise<ServerCertificate> {
  const read = (path: string): Promise<string> =>
    readFile(path, 'utf8').catch((error: unknown) => {
      throw bad('unreadable', error)
    })
  return checked({ cert: await read(certPath), key: await read(keyPath) }, now)
}

/**
 * The self-signed certificate in `dir`; created if there is none.
 * @param names host names and addresses of the server
 */
export async function ownCertificate(dir: string, names: readonly string[]): Promise<ServerCertificate> {
  const path = join(dir, fileName)
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text !== null) return checked(parts(text), 0)
  const made = await makeCertificate(names)
  await mkdir(dir, { recursive: true, mode: privateMode })
  const temp = `${path}.${randomUUID()}`
  await writeFile(temp, made.cert + made.key, { flag: 'wx', mode: 0o600, flush: true })
  await replaceFile(temp, path)
  return checked(made, 0)
}

/** The certificate and the key in one file. */
function parts(text: string): Tls {
  const at = text.search(/-----BEGIN [A-Z ]*PRIVATE KEY-----/)
  if (at < 0) throw bad('unreadable')
  return { cert: text.slice(0, at), key: text.slice(at) }
}

async function makeCertificate(names: readonly string[]): Promise<Tls> {
  const keys = await x509.newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=Mien server', ...x509.validity, signingAlgorithm: x509.algorithm, keys },
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        [...new Set([...names, 'localhost'])].map((value) => ({
          type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const),
          value,
        })),
      ),
    ],
  })
  const key = await x509.privateKeyOf(keys)
  return { cert: `${certificate.toString('pem')}\n`, key: key.export({ format: 'pem', type: 'pkcs8' }) as string } // PEM
}
