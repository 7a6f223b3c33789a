/** @file Which WebGPU adapters are graphics chips. */

/** The part of `GPUAdapterInfo` that is used. */
export interface AdapterInfo {
  vendor: string
  architecture: string
  device: string
  description: string
  isFallbackAdapter?: boolean
}

/** Vendors under which only software draws: SwiftShader, llvmpipe and lavapipe, WARP. Drivers name the chip's vendor. */
const softwareVendors = ['google', 'mesa', 'microsoft']

/** Whether an adapter draws on the processor, which takes many times as long as wasm. */
export function softwareAdapter({
  vendor,
  architecture,
  device,
  description,
  isFallbackAdapter,
}: AdapterInfo): boolean {
  if (isFallbackAdapter === true || softwareVendors.includes(vendor.toLowerCase())) return true
  return /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render/i.test(
    `${architecture} ${device} ${description}`,
  )
}

/** A name for people; '' if the browser hides it. */
export const adapterName = ({ vendor, architecture, device, description }: AdapterInfo): string =>
  description || [vendor, architecture, device].filter((part) => part !== '').join(' ')
