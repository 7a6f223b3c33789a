/** @file Whether somebody types text. */

/** Whether an element, such as the target of a key press, accepts typing. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'button'].includes(target.type))
