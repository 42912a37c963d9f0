import { Lazy } from '../../awaitable.ts';
import { Failure } from '../../failure.ts';
import { nextPage, pageArguments, pageOf } from '../../paging.ts';
import { defineTool, hints, type ValueOf } from '../../tool.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { Expander } from '../catalog/expander.ts';
import type { Usage } from '../catalog/usage.ts';

const promptSchema = {
  type: 'object',
  required: ['name', 'description', 'arguments', 'tags', 'source'],
  properties: {
    name: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    arguments: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          description: { type: 'string' },
          required: { type: 'boolean' },
          default: { type: 'string' },
          values: { type: 'array', items: { type: 'string' } },
          files: { type: 'boolean' },
        },
      },
    },
    tags: { type: 'array', items: { type: 'string' } },
    source: { type: 'string' },
  },
} as const;

type ListedPrompt = ValueOf<typeof promptSchema>;

const filters = {
  tag: { type: 'string', description: 'Only with this tag' },
  source: { type: 'string', description: 'user, commands, twig, built-in or a mount' },
} as const;

/** Tools that give access to the catalogue to clients that support tools but not prompts. */
export function createCatalogTools(catalog: Catalog, expander: Expander, usage?: Usage) {
  return [createListTool(catalog), createExpandTool(expander), createSearchTool(catalog, usage)];
}

function createListTool(catalog: Catalog) {
  return defineTool({
    name: 'list_prompts',
    toolsets: ['prompts', 'prompt_editing'],
    scope: 'read',
    core: true,
    inViews: true,
    view: 'prompts',
    title: 'List prompts',
    description:
      'Lists the prompts of the library, which users invoke as :name, with descriptions and arguments. search_prompts finds by topic.',
    searchHint: 'commands templates library',
    phrases:
      'list available prompts commands templates library overview collection catalogue catalog shortcuts canned texts snippets instructions saved stored everything all menu browse inventory repertoire which ones have got options choices contents index macros boilerplates colon type formulas',
    inputSchema: {
      type: 'object',
      properties: { ...filters, ...pageArguments },
    },
    outputSchema: {
      type: 'object',
      required: ['prompts', 'total'],
      properties: {
        prompts: { type: 'array', items: promptSchema },
        total: { type: 'integer' },
        ...nextPage,
      },
    },
    annotations: hints.reads,
    async call({ tag, source, ...page }) {
      const entries = (await catalog.list(page.cursor !== undefined)).filter(hasTagAndSource(tag, source));
      const { items: prompts, next } = pageOf(entries, toItem, page);
      return { structured: { prompts, total: entries.length, ...next } };
    },
  });
}

function createExpandTool(expander: Expander) {
  return defineTool({
    name: 'expand_prompt',
    toolsets: ['prompts'],
    scope: 'read',
    core: true,
    inViews: true,
    title: 'Expand prompt',
    description:
      'Expands a prompt of the library. You MUST call it before answering when a user message contains a :command, e.g. ":research tidal power": pass "research" as command and the rest unchanged, quotes included, as input. Returns the prompt as text; follow it as if the user had written it.',
    searchHint: 'command colon slash template run',
    alwaysLoad: true,
    phrases:
      'fill in use apply render run invoke execute trigger call a prompt command with input arguments snippet text saved instruction shortcut template canned insert paste details blanks values slash colon perform start do what it says on this routine usual as always',
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'Name without the colon, or name@label' },
        input: { type: 'string', description: 'Text after the command', default: '' },
        arguments: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Values by argument name, e.g. {"topic":"tides"}; the rest is taken from input',
        },
      },
      required: ['command'],
    },
    annotations: hints.reads,
    async call({ command, input = '', arguments: named = {} }, context) {
      if (command.trim() === '') throw new Failure('missing-argument', 'command is required');
      // Models often keep the colon.
      const name = command.startsWith(':') ? command.slice(1) : command;
      // Text only: models read a prompt better without JSON escapes.
      return { content: await expander.expand({ name, input, named, asks: true }, context) };
    },
  });
}

function createSearchTool(catalog: Catalog, usage: Usage | undefined) {
  const search = new Lazy(async () => {
    const { PromptSearch } = await import('../catalog/search.ts');
    return new PromptSearch(catalog, usage && (() => usage.boosts()));
  });
  return defineTool({
    name: 'search_prompts',
    toolsets: ['prompts'],
    scope: 'read',
    core: true,
    inViews: true,
    view: 'prompts',
    title: 'Search prompts',
    description:
      'Finds prompts by words in name, tags, description and text, best first, with excerpts. Word forms, prefixes and small typing errors match too.',
    searchHint: 'find commands templates',
    phrases:
      'find look for search hunt locate dig out a prompt about a topic in the library matching mention containing subject keyword theme related to something for writing is there a template where was it suitable fitting lookup saved instruction text shortcut snippets any ever written dealing with',
    inputSchema: {
      type: 'object',
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, description: 'Words, e.g. summarize article' },
        ...filters,
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 100,
          description: 'Default: 20, or fewer long ones',
        },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['matches', 'total'],
      properties: {
        matches: {
          type: 'array',
          items: {
            ...promptSchema,
            required: [...promptSchema.required, 'score'],
            properties: {
              ...promptSchema.properties,
              score: { type: 'number' },
              excerpt: { type: 'string' },
            },
          },
        },
        total: { type: 'integer' },
      },
    },
    annotations: hints.reads,
    async call({ query, tag, source, limit }) {
      const { matches, total } = await (await search.get()).find(
        query,
        hasTagAndSource(tag, source),
        limit ?? 20,
      );
      const page = pageOf(matches, ({ entry, ...found }) => ({ ...toItem(entry), ...found }), { limit });
      return { structured: { matches: page.items, total } };
    },
  });
}

function hasTagAndSource(
  tag: string | undefined,
  source: string | undefined,
): (entry: CatalogEntry) => boolean {
  return (entry) =>
    (tag === undefined || entry.definition.tags.includes(tag)) &&
    (source === undefined || entry.source.name === source);
}

function toItem({ definition, source }: CatalogEntry): ListedPrompt {
  const { name, title, description = '', arguments: args, tags } = definition;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    arguments: args,
    tags,
    source: source.name,
  };
}
