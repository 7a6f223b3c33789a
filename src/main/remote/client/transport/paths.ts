/** @file Paths of the operations. The interface itself spells two of them in several ways (see docs on its gaps). */

/** Most reliable first. */
export const createPaths = ['/v1/faceswap-openapi/create', '/v1/faceswap_openapi/create'] as const
export const listPaths = [
  '/v1/faceswap-opanpai/listbyids',
  '/v1/faceswap_openapi/listbyids',
  '/v1/faceswap-openapi/listbyids',
] as const

/** Extra operations of the embedded service. Other services may list them in their capabilities. */
export const capabilitiesPath = '/v1/capabilities'
export const cancelPath = '/v1/faceswap-openapi/cancel'
export const pausePath = '/v1/faceswap-openapi/pause'
export const resumePath = '/v1/faceswap-openapi/resume'
export const orderPath = '/v1/faceswap-openapi/order'
export const deletePath = '/v1/faceswap-openapi/delete'
export const assetsPath = '/v1/assets'
export const uploadsPath = '/v1/uploads'
export const keyPaths = {
  new: '/v1/openapi_account/new',
  list: '/v1/openapi_account/list',
  delete: '/v1/openapi_account/delete',
} as const

/** Paths with the last working spelling first; an unknown one is ignored. */
export function inOrder(known: readonly string[], remembered: string | undefined): string[] {
  if (remembered === undefined || !known.includes(remembered)) return [...known]
  return [remembered, ...known.filter((path) => path !== remembered)]
}

/** Whether the next spelling may be tried: these statuses guarantee that nothing was done. */
export const isWrongPath = (status: number): boolean => status === 404 || status === 405 || status === 501

/**
 * Builds a URL. `baseUrl` may have a path prefix, with or without a trailing slash; its query and fragment are dropped.
 */
export function endpoint(baseUrl: string, path: string, query: Record<string, string> = {}): URL {
  const url = new URL(baseUrl)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  url.hash = ''
  url.search = new URLSearchParams(query).toString()
  return url
}
