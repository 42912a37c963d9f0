import { Failure } from '../failure.ts';
import { type Change, extensions, type Feature, type ResourceProvider } from '../feature.ts';
import { patienceOf, within } from '../pace.ts';
import { defineMethod } from '../tool.ts';
import type { SkillPrompt } from './prompt-skills.ts';
import type { CatalogOptions, SkillCatalog } from './skill-catalog.ts';

export interface SkillsOptions extends Pick<CatalogOptions, 'watch'> {
  /** The prompts without a folder that are served as skills. */
  readonly prompts: 'all' | 'tagged' | 'none';
  /** All prompts of the library, skills among them: the same array as long as nothing has changed. */
  library(): Promise<readonly SkillPrompt[]>;
  /** Calls the listener after a prompt has changed. Returns a function that ends this. */
  libraryChanges(listener: () => void): () => void;
}

/** The skills change with their files, and the prompts may be private. */
const caching = { ttlMs: 5000, cacheScope: 'private' };
/** A prompt with this tag is served as a skill unless the settings say otherwise. */
const skillTag = 'skill';
const uri = { type: 'string', minLength: 1 } as const;
const cursor = { type: ['string', 'null'] } as const;

/** Serves the skills of the library, and other prompts, through the extension `io.modelcontextprotocol/skills`. */
export function createSkills(options: SkillsOptions): Feature {
  const { watch, prompts, library, libraryChanges } = options;
  const listeners = new Set<(change: Change) => void>();
  let loading: Promise<SkillCatalog> | undefined;
  let stopListening: (() => void) | undefined;

  let all: readonly SkillPrompt[] = [];
  let chosen = all;
  const chosenPrompts = async () => {
    const found = await library();
    if (found !== all)
      chosen = found.filter(
        ({ tags, folder }) =>
          folder !== undefined || prompts === 'all' || (prompts === 'tagged' && tags.includes(skillTag)),
      );
    all = found;
    return chosen;
  };
  const report = (changes: readonly Change[]) => {
    for (const listener of listeners) for (const change of changes) listener(change);
  };
  const load = async (): Promise<SkillCatalog> => {
    const { SkillCatalog } = await import('./skill-catalog.ts');
    const changed = (files: readonly string[]) =>
      report([{ kind: 'resources' }, ...files.map((uri): Change => ({ kind: 'resource', uri }))]);
    const catalog = new SkillCatalog({ watch, prompts: chosenPrompts, changed });
    stopListening = libraryChanges(() => catalog.refresh());
    return catalog;
  };
  const catalog = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  const listed = async () =>
    (await chosenPrompts()).some(({ folder }) => folder !== undefined) ? (await catalog()).listed() : [];

  const resources: ResourceProvider = {
    // Prompts have a list of their own, so only skills with a folder are listed.
    async list({ client }) {
      const all = listed();
      const patience = patienceOf(client.name);
      const soon = patience === undefined ? await all : await within(all, patience);
      if (soon === undefined) void all.then(() => report([{ kind: 'resources' }])).catch(() => {});
      return soon ?? [];
    },
    read: async (address) =>
      address.startsWith('skill://') ? (await catalog()).contents(address) : undefined,
  };
  const notFound = (address: string, what: string) =>
    new Failure('resource-not-found', `${what} not found: ${address}`, { data: { uri: address } });

  return {
    name: 'skills',
    extensions: extensions.skills,
    resources,
    methods: {
      'skills/list': defineMethod({
        paramsSchema: { type: 'object', properties: { cursor } },
        async call(params) {
          const entries = await (await catalog()).entries();
          const { items, ...next } = pageOf(entries, params.cursor, (entry) => entry.resources.length);
          return { skills: items, ...next, ...caching };
        },
      }),
      'skills/get': defineMethod({
        paramsSchema: { type: 'object', required: ['uri'], properties: { uri } },
        async call(params) {
          const skill = await (await catalog()).find(params.uri);
          if (skill === undefined) throw notFound(params.uri, 'Skill');
          return { skill, ...caching };
        },
      }),
      'resources/directory/read': defineMethod({
        paramsSchema: { type: 'object', required: ['uri'], properties: { uri, cursor } },
        async call(params) {
          const children = await (await catalog()).children(params.uri);
          if (children === undefined) throw notFound(params.uri, 'Folder of a skill');
          const { items, ...next } = pageOf(children, params.cursor);
          return { resources: items, ...next, ...caching };
        },
      }),
    },
    problems: async () => (await catalog()).problems(),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      stopListening?.();
      (await loading)?.close();
    },
  };
}

/** A page ends after this much weight, so that a list of large skills stays a message of moderate size. */
const maxWeight = 500;

/**
 * The page after the cursor. The cursor names the last item sent, so a change of the list between two requests neither
 * repeats nor skips other items. Items must be sorted by address.
 */
function pageOf<Item extends { readonly uri: string }>(
  items: readonly Item[],
  cursor: string | null | undefined,
  weightOf: (item: Item) => number = () => 1,
): { readonly items: readonly Item[]; readonly nextCursor?: string } {
  const after = cursor ? uriOf(cursor) : '';
  const rest = items.filter(({ uri }) => uri > after);
  let weight = 0;
  const end = rest.findIndex((item, index) => {
    weight += weightOf(item);
    return index > 0 && weight > maxWeight;
  });
  if (end < 0) return { items: rest };
  return { items: rest.slice(0, end), nextCursor: cursorOf(rest[end - 1]!.uri) };
}

function cursorOf(uri: string): string {
  return Buffer.from(uri).toString('base64url');
}

function uriOf(cursor: string): string {
  const uri = Buffer.from(cursor, 'base64url').toString();
  if (uri.startsWith('skill://') && cursorOf(uri) === cursor) return uri;
  throw new Failure('invalid-params', 'The cursor is invalid. Start again without a cursor.');
}
