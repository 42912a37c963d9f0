import { isObject, type JsonObject } from '../json.ts';
import type { AppView } from '../tool.ts';

const appsExtension = 'io.modelcontextprotocol/ui';
export const appMimeType = 'text/html;profile=mcp-app';

export function appUri(view: AppView): string {
  return `ui://adjutant/${view}`;
}

/** Whether a client with these capabilities shows views. */
export function showsApps({ extensions }: Readonly<Record<string, unknown>>): boolean {
  const declared = isObject(extensions) ? extensions[appsExtension] : undefined;
  const { mimeTypes } = isObject(declared) ? declared : {};
  return Array.isArray(mimeTypes) && mimeTypes.includes(appMimeType);
}

/** The `_meta` fields that name a tool's view. Older hosts read the flat one. */
export function viewMeta(view: AppView): JsonObject {
  const resourceUri = appUri(view);
  return { ui: { resourceUri }, 'ui/resourceUri': resourceUri };
}
