import type { Content } from '../../src/content.ts';
import type { ToolResult } from '../../src/tool.ts';

/** A red pixel. */
export const pixel = {
  type: 'image',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  mimeType: 'image/png',
} as const satisfies Content;

/** One sample of silence. */
export const silence = {
  type: 'audio',
  data: 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==',
  mimeType: 'audio/wav',
} as const satisfies Content;

export function text(value: string): Content {
  return { type: 'text', text: value };
}

export function say(value: string): ToolResult {
  return { content: [text(value)] };
}
