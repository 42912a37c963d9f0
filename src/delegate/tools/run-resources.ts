import type { Context } from '../../context.ts';
import type { Resource, ResourceProvider } from '../../feature.ts';
import type { Runs } from '../sharing/runs.ts';

const scheme = 'runs://';
const template = 'runs://{run_id}/{artifact}';
const listedRuns = 50;

const mimeTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  patch: 'text/x-diff',
};

/** The artifacts of all runs as MCP resources. */
export function runResources(runs: (context: Context) => Promise<Runs>): ResourceProvider {
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
    async read(uri, context) {
      if (!uri.startsWith(scheme)) return undefined;
      const [id = '', ...rest] = uri.slice(scheme.length).split('/').map(decodeURIComponent);
      const name = rest.join('/');
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

function mimeTypeOf(name: string): string {
  return mimeTypes[name.split('.').at(-1) ?? ''] ?? 'text/plain';
}
