/** @file JSON answers of the embedded service. */
import { writeExactJson } from '@shared/service/exact-json.ts'

export const json = (value: unknown): Response =>
  new Response(writeExactJson(value), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
