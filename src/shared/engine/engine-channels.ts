/** IPC channel names of the engine window. Separate from `engine.ts`, so that the preload includes no schemas. */
export const engineChannels = { request: 'engine:request', cancel: 'engine:cancel', event: 'engine:event' } as const
