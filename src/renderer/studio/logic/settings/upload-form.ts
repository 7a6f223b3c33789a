/** @file The upload target form: conversion and validation. Pure. */
import type { UploadCredentials, UploadTarget } from '@shared/service/upload-target.ts'

export function uploadDraftOf(target: UploadTarget | null) {
  return {
    endpoint: target?.endpoint ?? '',
    bucket: target?.bucket ?? '',
    region: target?.region ?? 'us-east-1',
    byHost: target?.style === 'host',
    prefix: target?.prefix ?? 'mien',
    publicUrl: target?.publicUrl ?? '',
    lifetimeHours: String(target?.lifetimeHours ?? 48),
    deleteAfter: target?.deleteAfter ?? true,
    accessKeyId: '',
    secretAccessKey: '',
  }
}

/** What the fields hold. */
export type UploadDraft = ReturnType<typeof uploadDraftOf>

/** Converts the draft for main, which validates it. A lifetime that is not a number becomes the maximum. */
export function uploadTargetOf(draft: UploadDraft): UploadTarget {
  const hours = Math.round(Number(draft.lifetimeHours))
  return {
    endpoint: draft.endpoint.trim(),
    bucket: draft.bucket.trim(),
    region: draft.region.trim(),
    style: draft.byHost ? 'host' : 'path',
    prefix: draft.prefix.trim(),
    publicUrl: draft.publicUrl.trim() === '' ? null : draft.publicUrl.trim(),
    lifetimeHours: Number.isFinite(hours) ? Math.min(168, Math.max(1, hours)) : 168,
    deleteAfter: draft.deleteAfter,
  }
}

/** Null keeps the saved credentials. */
export function credentialsOf(draft: UploadDraft, keep: 'keychain' | 'session'): UploadCredentials | null {
  const accessKeyId = draft.accessKeyId.trim()
  const secretAccessKey = draft.secretAccessKey.trim()
  return accessKeyId === '' || secretAccessKey === '' ? null : { accessKeyId, secretAccessKey, keep }
}

/** Whether the draft can be saved; `kept`: credentials are already saved. */
export const isComplete = (draft: UploadDraft, kept: boolean): boolean =>
  [draft.endpoint, draft.bucket, draft.region].every((text) => text.trim() !== '') &&
  (kept || credentialsOf(draft, 'session') !== null)
