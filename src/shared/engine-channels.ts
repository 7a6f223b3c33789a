/** IPC channel names of the engine window; apart from `engine.ts` so that its preload carries no schemas. */
export const engineChannels = { request: 'engine:request', cancel: 'engine:cancel', event: 'engine:event' } as const
