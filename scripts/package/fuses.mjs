/** @file All fuses of the Electron binary. Packaging fails if a new Electron adds one, until it is set here. */
import { FuseV1Options, FuseVersion } from '@electron/fuses'

/** @satisfies {import('@electron/fuses').FuseConfig} */
export const fuses = /** @type {const} */ ({
  version: FuseVersion.V1,
  strictlyRequireAllFuses: true,
  // Changing the binary breaks its signature, which Apple silicon requires. The final signature is added later.
  resetAdHocDarwinSignature: process.platform === 'darwin',
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  // Enforced on macOS and Windows; ignored on Linux.
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // The CPU guards WebAssembly memory instead of checks in the code: faster, and Electron's default.
  [FuseV1Options.WasmTrapHandlers]: true,
})
