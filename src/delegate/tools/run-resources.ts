import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import type { Resource, ResourceProvider } from '../../feature.ts';
import { log } from '../../log.ts';
import { decodePercent } from '../../single-line.ts';
import type { Runs } from './runs.ts';

const scheme = 'runs://';
const template = 'runs://{run_id}/{artifact}';
const listedRuns = 50;

const mimeTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  patch: 'text/x-diff',
};

const localIntervalMs = 250;
const remoteIntervalMs = 2_000;

/** The artifacts of all runs as MCP resources. `changed` is told when a file that somebody follows has changed. */
export function runResources(
  runs: (context: Context) => Promise<Runs>,
  changed: (uri: string) => void,
): ResourceProvider {
  const followed = new Set<string>();
  /** Compares a file with its earlier state until its run has ended, whichever server or machine carries the run. */
  const follow = async (uri: string, all: Runs) => {
    const { id, name } = parseUri(uri);
    let known = await all.stateOf(id, name);
    while (known?.isOpen) {
      await pause(known.isLocal ? localIntervalMs : remoteIntervalMs, undefined, { ref: false });
      const now = await all.stateOf(id, name);
      if (now !== undefined && now.stamp !== known.stamp) changed(uri);
      known = now;
    }
  };
  return {
    templates: [
      {
        uriTemplate: template,
        name: 'run artifact',
        description: 'A file that a run of a sub-agent has left: its events, its last message, its result.',
      },
    ],
    async list(context) {
      const all = await runs(context);
      const lists = (await all.list(listedRuns)).map(async ({ run_id, task }) =>
        (await all.show(run_id)).artifacts
          .filter(({ name }) => !name.endsWith('/'))
          .map(
            ({ name }): Resource => ({
              uri: `${scheme}${run_id}/${name}`,
              name: `${run_id}/${name}`,
              ...(task !== '' && { description: task }),
              mimeType: mimeTypeOf(name),
            }),
          ),
      );
      return (await Promise.all(lists)).flat();
    },
    async follow(uri, context) {
      if (!uri.startsWith(scheme) || followed.has(uri)) return;
      followed.add(uri);
      void follow(uri, await runs(context))
        .catch((error: unknown) => log('warning', `${uri} cannot be followed`, error))
        .finally(() => followed.delete(uri));
    },
    async read(uri, context) {
      if (!uri.startsWith(scheme)) return undefined;
      const { id, name } = parseUri(uri);
      const text = await (await runs(context)).read(id, name);
      return text === undefined ? undefined : [{ uri, mimeType: mimeTypeOf(name), text }];
    },
    async complete(uriTemplate, argument, value, context) {
      const { given } = context;
      if (uriTemplate !== template) return undefined;
      const all = await runs(context);
      const overviews = argument === 'run_id' ? await all.list(100) : [];
      const names =
        argument === 'artifact' && given['run_id'] !== undefined
          ? (await all.show(given['run_id'])).artifacts.map(({ name }) => name)
          : overviews.map(({ run_id }) => run_id);
      return names.filter((name) => name.startsWith(value));
    },
  };
}

function parseUri(uri: string): { readonly id: string; readonly name: string } {
  const [id = '', ...rest] = uri.slice(scheme.length).split('/').map(decodePercent);
  return { id, name: rest.join('/') };
}

function mimeTypeOf(name: string): string {
  return mimeTypes[name.split('.').at(-1) ?? ''] ?? 'text/plain';
}
