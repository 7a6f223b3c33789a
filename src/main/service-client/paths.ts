/** @file Where the operations are. The interface itself spells two of them in several ways (see docs on its gaps). */

/** Most trusted first. */
export const createPaths = ['/v1/faceswap-openapi/create', '/v1/faceswap_openapi/create'] as const
export const listPaths = [
  '/v1/faceswap-opanpai/listbyids',
  '/v1/faceswap_openapi/listbyids',
  '/v1/faceswap-openapi/listbyids',
] as const

/** The embedded service's extras; another service may have them and say so in its capabilities. */
export const capabilitiesPath = '/v1/capabilities'
export const cancelPath = '/v1/faceswap-openapi/cancel'
export const pausePath = '/v1/faceswap-openapi/pause'
export const resumePath = '/v1/faceswap-openapi/resume'
export const deletePath = '/v1/faceswap-openapi/delete'
export const assetsPath = '/v1/assets'
export const keyPaths = {
  new: '/v1/openapi_account/new',
  list: '/v1/openapi_account/list',
  delete: '/v1/openapi_account/delete',
} as const

/** The spelling that worked last comes first; one that is not known is ignored. */
export function inOrder(known: readonly string[], remembered: string | undefined): string[] {
  if (remembered === undefined || !known.includes(remembered)) return [...known]
  return [remembered, ...known.filter((path) => path !== remembered)]
}

/** Whether the next spelling may be tried: after these, nothing can have been done. */
export const isWrongPath = (status: number): boolean => status === 404 || status === 405 || status === 501

/** `baseUrl` may carry a path prefix, with or without a slash at its end; its query and fragment are dropped. */
export function endpoint(baseUrl: string, path: string, query: Record<string, string> = {}): URL {
  const url = new URL(baseUrl)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  url.hash = ''
  url.search = new URLSearchParams(query).toString()
  return url
}
