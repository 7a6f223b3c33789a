/** @file The switches in Electron's binary, all of them: an Electron with one more stops the packaging until it is decided. */
import { FuseV1Options, FuseVersion } from '@electron/fuses'

/** @satisfies {import('@electron/fuses').FuseConfig} */
export const fuses = /** @type {const} */ ({
  version: FuseVersion.V1,
  strictlyRequireAllFuses: true,
  // Changing the binary breaks the signature it came with, which an Apple chip insists on; the real one comes later.
  resetAdHocDarwinSignature: process.platform === 'darwin',
  [FuseV1Options.RunAsNode]: false,
  [FuseV1Options.EnableCookieEncryption]: true,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
  [FuseV1Options.EnableNodeCliInspectArguments]: false,
  // Enforced on macOS and Windows; Linux does not look at it.
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
  [FuseV1Options.OnlyLoadAppFromAsar]: true,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
  // Memory of WebAssembly is guarded by the processor, not by checks in its code: quicker, and as Electron has it.
  [FuseV1Options.WasmTrapHandlers]: true,
})
