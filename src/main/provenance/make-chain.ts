/**
 * @file Makes the key and certificates of this copy of Mien: a local authority, which signs one certificate and whose
 * key is then forgotten. C2PA refuses a certificate that signed itself (C2PA 2.2, section 14.5). Loaded on demand.
 */
import { hash } from 'node:crypto'
import { commonNameOf, copyName } from './copy-name.ts'
import type { Signer } from './cose.ts'
import * as x509 from './x509.ts'

const { algorithm, validity } = x509

export async function makeChain(): Promise<Signer> {
  const [authority, own] = await Promise.all([x509.newKeys(), x509.newKeys()])
  const name = commonNameOf(keyIdOf(await crypto.subtle.exportKey('spki', own.publicKey)))
  const issuer = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: `CN=${name} authority, O=${copyName}`, ...validity, signingAlgorithm: algorithm, keys: authority },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authority.publicKey),
    ],
  })
  const certificate = await x509.X509CertificateGenerator.create({
    ...{ subject: `CN=${name}, O=${copyName}`, issuer: issuer.subject, ...validity },
    ...{ signingAlgorithm: algorithm, signingKey: authority.privateKey, publicKey: own.publicKey },
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.emailProtection]),
      await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(own.publicKey),
    ],
  })
  const chain = [certificate, issuer].map(({ rawData }) => new Uint8Array(rawData))
  return { key: await x509.privateKeyOf(own), algorithm: 'es256', chain }
}

/** Short id of a public key (DER) for people: eight hex digits in two groups. */
function keyIdOf(publicKey: ArrayBuffer): string {
  const digest = hash('sha256', new Uint8Array(publicKey))
  return digest
    .slice(0, 8)
    .toUpperCase()
    .replace(/(.{4})/, '$1 ')
}
