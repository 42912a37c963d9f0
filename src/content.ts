import type { JsonObject } from './json.ts';

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: ResourceContents }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
      readonly mimeType?: string;
    };

export type ResourceContents = {
  readonly uri: string;
  readonly mimeType?: string;
  /** Sent as `_meta` instead of the contract's own; nothing is sent if it is empty. */
  readonly meta?: JsonObject;
} & ({ readonly text: string } | { readonly blob: string });
