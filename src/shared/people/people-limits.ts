/** @file Limits of the people in a video. Without zod, for the studio's first bundle. */

export const maxPeople = 30

/** Of the parts of a video that are swapped. */
export const maxParts = 100
