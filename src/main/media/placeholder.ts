/** @file Placeholder picture for media that were never opened here. */
import { writeFile } from 'node:fs/promises'

/** A grey PNG of one pixel, Base64. */
const grey = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGPw8goCAAHIAOdaSTRLAAAAAElFTkSuQmCC'

export const writePlaceholder = (path: string): Promise<void> => writeFile(path, Buffer.from(grey, 'base64'))
