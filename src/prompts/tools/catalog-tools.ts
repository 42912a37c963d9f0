import { Failure } from '../../failure.ts';
import { Lazy } from '../../pace.ts';
import { nextPage, pageArguments, pageOf } from '../../paging.ts';
import { anyObject, defineBareTool, defineTool, hints, type Tool, type ValueOf } from '../../tool.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { Expander } from '../catalog/expander.ts';
import type { Usage } from '../catalog/usage.ts';
import { isEditable } from '../definition/source.ts';
import { renderPrompt } from '../rendering/rendering.ts';
import type { Versions } from '../versions/versions.ts';
import { argumentsSchema, storedMessageSchema } from './prompt-schemas.ts';

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

export function hasTagAndSource(
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

/** Shows a prompt as stored in its source, before arguments are filled in. */
export function createShow(catalog: Catalog, versions: Versions) {
  return defineTool({
    name: 'show_prompt',
    toolsets: ['prompts', 'prompt_editing'],
    scope: 'read',
    title: 'Show prompt',
    description:
      'Shows a prompt without filling it in, e.g. before changing it: template, arguments, revision, file, and whether it can be edited.',
    searchHint: 'read template',
    phrases:
      'show raw template source file path definition arguments blanks placeholders variables of a prompt before filling it in read open view wording exactly say contents inside look at full text saved without running inspect body written print see details editable parameters inputs takes needs',
    inputSchema: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', minLength: 1, description: 'Name of the prompt' } },
    },
    outputSchema: {
      type: 'object',
      required: [
        'name',
        'revision',
        'source',
        'file',
        'line',
        'kind',
        'template',
        'messages',
        'arguments',
        'tags',
        'editable',
      ],
      properties: {
        name: { type: 'string' },
        revision: { type: 'string', description: 'Changes with every edit; see expected_revision' },
        title: { type: 'string' },
        description: { type: 'string' },
        source: { type: 'string' },
        file: { type: 'string' },
        line: { type: 'integer' },
        kind: { enum: ['input', 'braces', 'jinja', 'none'] },
        template: { type: 'string' },
        messages: { type: 'array', items: anyObject(storedMessageSchema) },
        arguments: { type: 'array', items: anyObject(argumentsSchema.items) },
        tags: { type: 'array', items: { type: 'string' } },
        editable: { type: 'boolean' },
        tests: { type: 'integer', description: 'Number of tests' },
        uses: { type: 'array', items: { type: 'string' }, description: 'Prompts that it includes' },
        labels: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Revisions by label',
        },
      },
    },
    annotations: hints.reads,
    async call({ name }) {
      const entry = await versions.find(name);
      const { definition, source } = entry;
      const { template: kind, messages, arguments: args, dependencies: _, tests = [], ...facts } = definition;
      const labels = (await versions.labels(definition.name)).map(({ label, revision }) => [label, revision]);
      const texts = messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : []));
      return {
        structured: {
          ...facts,
          revision: await catalog.revision(entry),
          kind,
          source: source.name,
          template: texts.join('\n\n'),
          messages,
          arguments: args,
          editable: isEditable(source),
          ...(tests.length > 0 && { tests: tests.length }),
          ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
        },
      };
    },
  });
}

const listDescription =
  'List available prompt commands with descriptions. Users invoke prompt commands in messages by writing :<command> (e.g., :research topic); this lists what commands exist.';
const expandDescription =
  'Expands a named prompt command into a full prompt. When ANY user message contains a :-prefixed command token (e.g., :research topic, :summarize this article, :critique "draft"), you MUST call this tool before responding. Strip the leading colon from the command name and pass any remaining text (including quotes) as the input. Do not bypass this tool or answer directly whenever a :-prefixed command is present.';

/** Lists the Markdown commands. Both tools in this file match the document of the commands contract exactly. */
export function createListCommands(catalog: Catalog): Tool {
  return defineBareTool({
    name: 'list_prompts',
    description: listDescription,
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true, openWorldHint: false },
    async call() {
      const entries = await catalog.list();
      return {
        structured: {
          prompts: entries.map(({ definition: { name, description = '' } }) => ({ name, description })),
        },
      };
    },
  });
}

export function createExpandCommand(catalog: Catalog): Tool {
  return defineBareTool({
    name: 'expand_prompt',
    description: expandDescription,
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', description: 'Prompt command name (filename without extension)' },
        input: { type: 'string', description: 'Text to inject into the prompt template' },
      },
      required: ['command', 'input'],
    },
    // Models omit the input if there is none.
    acceptedSchema: {
      type: 'object',
      properties: { command: { type: 'string' }, input: { type: 'string', default: '' } },
      required: ['command'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    async call({ command, input }) {
      if (command.trim() === '') throw new Failure('missing-argument', 'command is required');
      const { definition, source } = await catalog.find(command);
      const { messages } = await renderPrompt(definition, { input }, source);
      const [first] = messages;
      return { structured: { prompt: first?.content.type === 'text' ? first.content.text : '' } };
    },
  });
}
