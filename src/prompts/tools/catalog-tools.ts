import { Failure } from '../../failure.ts';
import { present } from '../../json.ts';
import type { Lazy } from '../../pace.ts';
import { nextPage, pageArguments, pageOf } from '../../paging.ts';
import { anyObject, defineTool, hints, type ValueOf } from '../../tool.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { Expander } from '../catalog/expander.ts';
import type { PromptSearch } from '../catalog/search.ts';
import type { Filing, Shelf } from '../catalog/shelf.ts';
import { shownDescription } from '../definition/shown-description.ts';
import { assertSource, isEditable, isSource, type PromptSource } from '../definition/source.ts';
import type { Versions } from '../versions/versions.ts';
import { argumentsSchema, knownNameSchema, storedMessageSchema } from './prompt-schemas.ts';

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
    favourite: { type: 'boolean' },
    folder: { type: 'string' },
  },
} as const;

type ListedPrompt = ValueOf<typeof promptSchema>;

const filters = {
  tag: { type: 'string', description: 'Only with this tag' },
  source: { type: 'string', description: 'Name, prefix, format or path' },
} as const;

interface CatalogToolParts {
  readonly catalog: Catalog;
  readonly expander: Expander;
  readonly search: Lazy<PromptSearch>;
  readonly shelf: Shelf;
  readonly versions: Versions;
}

/** Tools that give access to the catalogue to clients that support tools but not prompts. */
export function createCatalogTools({ catalog, expander, search, shelf, versions }: CatalogToolParts) {
  return [
    createListTool(catalog, shelf),
    createExpandTool(expander),
    createSearchTool(catalog, search, shelf),
    createOrganizeTool(versions, shelf),
  ];
}

function createListTool(catalog: Catalog, shelf: Shelf) {
  return defineTool({
    name: 'list_prompts',
    toolsets: ['prompts', 'prompt_editing'],
    scope: 'read',
    core: true,
    inViews: true,
    view: 'prompts',
    title: 'List prompts',
    description:
      'Lists the prompts of the library, which users invoke as :name. search_prompts finds by topic.',
    searchHint: 'commands templates library',
    phrases:
      'list available prompts commands templates library overview collection catalogue catalog shortcuts canned texts snippets instructions saved stored everything all menu browse inventory repertoire which ones have got options choices contents index macros boilerplates colon type formulas',
    inputSchema: {
      type: 'object',
      properties: {
        ...filters,
        favourite: { type: 'boolean', description: 'Only favourites' },
        folder: { type: 'string', description: 'Only in this folder' },
        ...pageArguments,
      },
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
    async call({ tag, source, favourite, folder, ...page }) {
      const filings = await shelf.filings();
      const entries = (await catalog.list(page.cursor !== undefined)).filter(
        isSelected({ tag, source, favourite, folder }, catalog.sources, filings),
      );
      const { items: prompts, next } = pageOf(entries, (entry) => toItem(entry, filings), page);
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
          description: 'By name, e.g. {"topic":"tides"}; the rest comes from input',
        },
      },
      required: ['command'],
    },
    annotations: hints.reads,
    async call({ command, input = '', arguments: named = {} }, context) {
      if (command.trim() === '') throw new Failure('missing-argument', 'command is required');
      // Text only: models read a prompt better without JSON escapes.
      return { content: await expander.expand({ name: command, input, named, asks: true }, context) };
    },
  });
}

function createSearchTool(catalog: Catalog, search: Lazy<PromptSearch>, shelf: Shelf) {
  return defineTool({
    name: 'search_prompts',
    toolsets: ['prompts'],
    scope: 'read',
    core: true,
    inViews: true,
    view: 'prompts',
    title: 'Search prompts',
    description:
      'Finds prompts and skills by words in name, tags, description and text, best first, with excerpts.',
    searchHint: 'find commands templates',
    phrases:
      'find look for search hunt locate dig out a prompt about a topic in the library matching mention containing subject keyword theme related to something for writing is there a template where was it suitable fitting lookup saved instruction text shortcut snippets any ever written dealing with',
    inputSchema: {
      type: 'object',
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, description: 'Words' },
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
    async call({ query, limit, ...selection }) {
      const filings = await shelf.filings();
      const { matches, total } = await (await search.get()).find(
        query,
        isSelected(selection, catalog.sources, filings),
        limit ?? 20,
      );
      const page = pageOf(matches, ({ entry, ...found }) => ({ ...toItem(entry, filings), ...found }), {
        limit,
      });
      return { structured: { matches: page.items, total } };
    },
  });
}

/** Files a prompt as a favourite or into a folder. */
function createOrganizeTool(versions: Versions, shelf: Shelf) {
  return defineTool({
    name: 'organize_prompt',
    toolsets: ['prompt_editing'],
    scope: 'prompts:write',
    title: 'Organize prompt',
    description: 'Marks a prompt as a favourite, or puts it into a folder. Returns both.',
    phrases:
      'favourite favorite star bookmark pin keep at hand folder group sort file tidy arrange category organise organize prompt template shortcut collection move into',
    inputSchema: {
      type: 'object',
      required: ['name'],
      properties: {
        name: knownNameSchema,
        favourite: { type: 'boolean', description: 'Whether it is one' },
        folder: { type: 'string', description: 'E.g. work/mail' },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['favourite', 'folder'],
      properties: { favourite: { type: 'boolean' }, folder: { type: 'string' } },
    },
    annotations: hints.sets,
    async call({ name, favourite, folder }) {
      const { definition } = await versions.find(name);
      const filed = await shelf.file(present({ prompt: definition.name, favourite, folder }));
      return { structured: { favourite: filed.favourite ?? false, folder: filed.folder ?? '' } };
    },
  });
}

interface Selection {
  readonly tag?: string | undefined;
  readonly source?: string | undefined;
  readonly favourite?: boolean | undefined;
  /** Includes the folders in it. */
  readonly folder?: string | undefined;
}

/** Throws if there is no such source. */
export function isSelected(
  { tag, source, favourite = false, folder }: Selection,
  sources: readonly PromptSource[],
  filings: ReadonlyMap<string, Filing> = new Map(),
): (entry: CatalogEntry) => boolean {
  if (source !== undefined) assertSource(sources, source);
  return ({ definition: { name, tags }, source: own }) => {
    const filing = filings.get(name);
    return (
      (tag === undefined || tags.includes(tag)) &&
      (source === undefined || isSource(own, source)) &&
      (!favourite || filing?.favourite === true) &&
      (folder === undefined || `${filing?.folder ?? ''}/`.startsWith(`${folder}/`))
    );
  };
}

function toItem({ definition, source }: CatalogEntry, filings: ReadonlyMap<string, Filing>): ListedPrompt {
  const { name, title, arguments: args, tags } = definition;
  const { favourite, folder } = filings.get(name) ?? {};
  return {
    name,
    ...(title !== undefined && { title }),
    description: shownDescription(definition) ?? '',
    arguments: args,
    tags,
    source: source.name,
    ...(favourite && { favourite }),
    ...(folder !== undefined && { folder }),
  };
}

/** Shows a prompt as stored in its source, before arguments are filled in. */
export function createShow(catalog: Catalog, versions: Versions) {
  return defineTool({
    name: 'show_prompt',
    toolsets: ['prompts', 'prompt_editing'],
    scope: 'read',
    title: 'Show prompt',
    description: 'Shows a prompt without filling it in, e.g. before changing it, with revision and file.',
    searchHint: 'read template',
    phrases:
      'show raw template source file path definition arguments blanks placeholders variables of a prompt before filling it in read open view wording exactly say contents inside look at full text saved without running inspect body written print see details editable parameters inputs takes needs',
    inputSchema: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', minLength: 1, description: 'Prompt name' } },
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
