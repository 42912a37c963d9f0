import { Failure } from '../../failure.ts';
import { nearest } from '../../nearest.ts';
import { defineTool, type ValueOf } from '../../tool.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { PromptSearch } from '../catalog/search.ts';
import { argumentsFrom, flatten, takesInput } from '../rendering/expansion.ts';
import { askForMissing } from '../rendering/missing-arguments.ts';
import type { RecentValues } from '../rendering/recent-values.ts';
import { renderPrompt } from '../rendering/rendering.ts';
import { expandDescription, listDescription } from './command-tools.ts';

const readOnly = { readOnlyHint: true, openWorldHint: false } as const;
const pageLength = 200;

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
  tag: { type: 'string', description: 'Only prompts with this tag' },
  source: { type: 'string', description: 'Only prompts of this source: user, commands, twig, built-in …' },
} as const;

/** Tools that give access to the catalogue to clients that support tools but not prompts. */
export function createCatalogTools(catalog: Catalog, recent: RecentValues) {
  return [createListTool(catalog), createExpandTool(catalog, recent), createSearchTool(catalog)];
}

function createListTool(catalog: Catalog) {
  return defineTool({
    name: 'list_prompts',
    title: 'List prompts',
    description: listDescription,
    inputSchema: {
      type: 'object',
      properties: {
        ...filters,
        cursor: { type: 'string', description: 'next_cursor of the page before', pattern: '^[0-9]{1,9}$' },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['prompts', 'total'],
      properties: {
        prompts: { type: 'array', items: promptSchema },
        total: { type: 'integer' },
        next_cursor: { type: 'string' },
      },
    },
    annotations: readOnly,
    async call({ tag, source, cursor = '0' }) {
      const entries = (await catalog.list()).filter(hasTagAndSource(tag, source));
      const end = Number(cursor) + pageLength;
      return {
        structured: {
          prompts: entries.slice(Number(cursor), end).map(toItem),
          total: entries.length,
          ...(end < entries.length && { next_cursor: String(end) }),
        },
      };
    },
  });
}

function createExpandTool(catalog: Catalog, recent: RecentValues) {
  return defineTool({
    name: 'expand_prompt',
    title: 'Expand prompt',
    description: expandDescription,
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'Name of the prompt, without the colon' },
        input: { type: 'string', description: 'Text to inject into the prompt template', default: '' },
        arguments: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Values for named arguments; what is not given here is taken from the input',
        },
      },
      required: ['command'],
    },
    outputSchema: {
      type: 'object',
      required: ['prompt'],
      properties: { prompt: { type: 'string' } },
    },
    annotations: readOnly,
    async call({ command, input = '', arguments: named = {} }, context) {
      if (command.trim() === '') throw new Failure('missing-argument', 'command is required');
      const { definition, source } = await findNamed(catalog, command);
      const args = await askForMissing(definition, argumentsFrom(definition, input, named), context);
      const { messages } = await renderPrompt(definition, args, source);
      recent.remember(definition.name, args);
      const text = flatten(messages);
      const rest = input !== '' && !takesInput(definition, named) ? `\n\n${input}` : '';
      const structured = { prompt: text + rest };
      const attached = messages.map(({ content }) => content).filter(({ type }) => type !== 'text');
      return {
        structured,
        ...(attached.length > 0 && {
          content: [{ type: 'text', text: JSON.stringify(structured) }, ...attached],
        }),
      };
    },
  });
}

function createSearchTool(catalog: Catalog) {
  let search: Promise<PromptSearch> | undefined;
  return defineTool({
    name: 'search_prompts',
    title: 'Search prompts',
    description:
      'Finds prompts by words in their name, title, tags, description and text, best match first. Other forms of a word, the beginning of a word and small typing errors are found too. Prompts with more of the words come first.',
    inputSchema: {
      type: 'object',
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, description: 'One or more words' },
        ...filters,
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
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
    annotations: readOnly,
    async call({ query, tag, source, limit = 20 }) {
      search ??= import('../catalog/search.ts').then(({ PromptSearch }) => new PromptSearch(catalog));
      const { matches, total } = await (await search).find(query, hasTagAndSource(tag, source), limit);
      return {
        structured: {
          matches: matches.map(({ entry, ...found }) => ({ ...toItem(entry), ...found })),
          total,
        },
      };
    },
  });
}

/** Ignores a leading colon, which models often keep. Suggests the nearest name if the prompt does not exist. */
async function findNamed(catalog: Catalog, command: string): Promise<CatalogEntry> {
  const name = command.startsWith(':') ? command.slice(1) : command;
  try {
    return await catalog.find(name);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'prompt-not-found') throw error;
    const names = (await catalog.list()).map(({ definition }) => definition.name);
    const suggestion = nearest(name, names);
    throw new Failure(
      'prompt-not-found',
      `Prompt not found: ${name}${suggestion ? `; did you mean ${suggestion}?` : ''}`,
    );
  }
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
