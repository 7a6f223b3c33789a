/**
 * @file `npm run -s sbom`: prints the contents of a package as CycloneDX: the production dependencies from the
 * lockfile, including transitive ones, and Electron, which is a tool to npm but most of the package to its user.
 */
import { npm } from './lib/npm.mjs'
import { Failure, inRoot, main, readJson, tail } from './lib/run.mjs'

await main(async () => {
  const args = ['sbom', '--package-lock-only', '--omit', 'dev', '--omit', 'optional', '--sbom-type', 'application']
  const { code, stdout, output } = await npm([...args, '--sbom-format', 'cyclonedx'])
  if (code !== 0) throw new Failure(`npm could not list the parts:\n${tail(output)}`)
  const bom = JSON.parse(stdout)
  const { name, productName } = readJson(inRoot('package.json'))
  const { version, license } = readJson(inRoot('package-lock.json')).packages['node_modules/electron']
  const ref = `electron@${version}`
  bom.metadata.component.name = productName
  bom.components.push({
    'bom-ref': ref,
    type: 'framework',
    name: 'electron',
    version,
    scope: 'required',
    purl: `pkg:npm/electron@${version}`,
    externalReferences: [{ type: 'website', url: 'https://www.electronjs.org' }],
    licenses: [{ license: { id: license } }],
  })
  bom.dependencies.push({ ref, dependsOn: [] })
  bom.dependencies.find((/** @type {{ ref: string }} */ each) => each.ref.startsWith(`${name}@`))?.dependsOn.push(ref)
  process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`)
})
