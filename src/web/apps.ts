import { promises as disk, existsSync } from 'node:fs';
import { join } from 'node:path';
import { appMimeType, appUri, showsApps } from '../contracts/app-views.ts';
import { extensions, type Feature } from '../feature.ts';
import { appViews } from '../tool.ts';

export function readPageFile(name: string): Promise<Buffer> {
  return disk.readFile(join(pageFolder(), name));
}

/** `page` is next to the bundle. When the server runs from source, the page is in `dist`. */
export function pageFolder(): string {
  const nextToBundle = join(import.meta.dirname, 'page');
  return existsSync(join(nextToBundle, 'main.js'))
    ? nextToBundle
    : join(import.meta.dirname, '..', '..', 'dist', 'page');
}

const titles = { run: 'Run', prompts: 'Prompts', calendar: 'Calendar' } as const;

/** Serves views for clients that show them inside the chat. Each is one HTML file that talks to the client only. */
export function createApps(): Feature {
  return {
    name: 'apps',
    extensions: extensions.apps,
    resources: {
      list: async ({ client }) =>
        showsApps(client.capabilities)
          ? appViews.map((view) => ({
              uri: appUri(view),
              name: titles[view],
              mimeType: appMimeType,
            }))
          : [],
      async read(uri) {
        const view = appViews.find((one) => appUri(one) === uri);
        if (view === undefined) return undefined;
        const text = (await readPageFile(`${view}-app.html`)).toString('utf8');
        return [{ uri, mimeType: appMimeType, text, meta: { ui: { prefersBorder: true } } }];
      },
    },
  };
}
