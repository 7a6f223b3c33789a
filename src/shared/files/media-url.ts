/** URL of a media id, for img and video elements. */
export const mediaUrl = (id: string): string => `media://item/${encodeURIComponent(id)}`
