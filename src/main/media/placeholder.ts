/** @file The picture that stands for what was never opened here. */
import { writeFile } from 'node:fs/promises'

/** A grey PNG of one pixel. */
const grey = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGPw8goCAAHIAOdaSTRLAAAAAElFTkSuQmCC'

export const writePlaceholder = (path: string): Promise<void> => writeFile(path, Buffer.from(grey, 'base64'))
