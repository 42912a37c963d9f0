import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Feature } from '../feature.ts';
import type { Records } from '../records.ts';
import { Catalog, type CatalogEntry } from './catalog/catalog.ts';
import { Editor } from './catalog/editor.ts';
import { CatalogProvider } from './catalog/provider.ts';
import type { PromptDefinition } from './definition/definition.ts';
import type { EditablePromptSource } from './definition/source.ts';
import { BuiltInSource } from './jsonl/built-in-source.ts';
import { SharedSource } from './jsonl/shared-source.ts';
import { UserSource } from './jsonl/user-source.ts';
import { type MountOptions, MountSource } from './mounts/mount.ts';
import { RecentValues } from './rendering/recent-values.ts';
import { CommandSource } from './sources/commands.ts';
import { TwigSource } from './sources/twig.ts';
import { createCatalogTools } from './tools/catalog-tools.ts';
import { createExpandCommand, createListCommands } from './tools/command-tools.ts';
import { createEditingTools } from './tools/editing-tools.ts';
import { createLibraryTools } from './tools/library-tools.ts';
import { createMethods } from './tools/methods.ts';
import { createShow } from './tools/show-tool.ts';

export interface PromptsOptions {
  readonly commandsDir: string;
  readonly jsonlDir: string;
  readonly twigDir: string;
  /** Folders of other programs whose prompts are served, and edited, in place if they exist. */
  readonly originals?: { readonly hexaiDir?: string | undefined; readonly twigDir?: string | undefined };
  /** Prompt files of other programs. */
  readonly mounts?: readonly MountOptions[];
  /** Messages abbreviate this folder to `~`. */
  readonly userHome: string;
  /** Stores the user's own prompts in a database instead of a file. */
  readonly records?: Records;
  /** Polls for changes instead of relying on file system events. */
  readonly poll?: boolean;
  /** The flag or setting that names each folder, unless it is the default folder. */
  readonly namedBy?: { readonly [folder in 'commandsDir' | 'jsonlDir' | 'twigDir']?: string | undefined };
  /** Also logs invalid files and missing folders. */
  readonly logsProblems?: boolean;
}

/** The feature with its prompts as they are stored, for files that other programs read. */
export interface PromptsFeature extends Feature {
  readonly subscribe: NonNullable<Feature['subscribe']>;
  /** All prompts as stored, before rendering. Returns the same array object until something changes. */
  definitions(): Promise<readonly PromptDefinition[]>;
  /** Throws if a source is unavailable: its prompts must not count as deleted. */
  entries(): Promise<readonly CatalogEntry[]>;
}

/**
 * All sources in one catalogue. If several sources have a prompt of the same name, the first one counts: the user's own
 * prompts, those of hexai, commands, libraries, those of twig, mounts in their order, built-in prompts.
 */
export function createPrompts({
  commandsDir,
  jsonlDir,
  twigDir,
  originals = {},
  mounts = [],
  userHome,
  records,
  poll = false,
  namedBy = {},
  logsProblems = false,
}: PromptsOptions): PromptsFeature {
  const user = createUserSource(jsonlDir, poll, records);
  // A database replaces the files of this machine; `migrate` copies the prompts of hexai too.
  const hexaiDir = records === undefined ? otherFolder(originals.hexaiDir, jsonlDir) : undefined;
  const otherTwigDir = otherFolder(originals.twigDir, twigDir);
  const hexai = hexaiDir === undefined ? [] : [new UserSource({ name: 'hexai', folder: hexaiDir, poll })];
  const builtInDir = existsSync(join(jsonlDir, 'default.jsonl')) ? jsonlDir : (hexaiDir ?? jsonlDir);
  const sources = [
    user,
    ...hexai,
    new CommandSource({ folder: commandsDir, poll, namedBy: namedBy.commandsDir }),
    new TwigSource({ name: 'libraries', folder: twigDir, userHome, poll, namedBy: namedBy.twigDir }),
    ...(otherTwigDir === undefined ? [] : [new TwigSource({ folder: otherTwigDir, userHome, poll })]),
    ...mounts.map((mount) => new MountSource({ ...mount, poll })),
    new BuiltInSource({ folder: builtInDir, seeds: false, poll, namedBy: namedBy.jsonlDir }),
  ];
  const catalog = new Catalog(sources, { reportsTextChanges: true, logsProblems });
  const editor = new Editor(catalog, user, hexai);
  const recent = new RecentValues();
  let listed: readonly CatalogEntry[] = [];
  let definitions: readonly PromptDefinition[] = [];
  return {
    ...catalogFeature(catalog),
    async entries() {
      for (const source of sources) await source.list();
      return catalog.list();
    },
    tools: [
      ...createCatalogTools(catalog, recent),
      createShow(catalog),
      ...createEditingTools(editor),
      ...createLibraryTools(catalog, editor),
    ],
    prompts: new CatalogProvider({ catalog, asks: true, recent, escapes: true, revisions: true }),
    methods: createMethods(editor, { revisions: true }),
    extensions: { 'adjutant/prompt-management': {} },
    async definitions() {
      const entries = await catalog.list();
      if (entries !== listed) definitions = entries.map(({ definition }) => definition);
      listed = entries;
      return definitions;
    },
  };
}

/** Only Markdown commands, through two tools. */
export function createCommands({ commandsDir, poll = false, namedBy, ...logging }: PromptsOptions): Feature {
  const source = new CommandSource({
    folder: commandsDir,
    plain: true,
    poll,
    namedBy: namedBy?.commandsDir,
  });
  const catalog = new Catalog([source], logging);
  return { ...catalogFeature(catalog), tools: [createListCommands(catalog), createExpandCommand(catalog)] };
}

/** Only JSONL prompts, which clients can edit. */
export function createJsonl({
  jsonlDir,
  records,
  poll = false,
  namedBy,
  ...logging
}: PromptsOptions): Feature {
  const user = createUserSource(jsonlDir, poll, records);
  const builtIn = new BuiltInSource({ folder: jsonlDir, seeds: true, poll, namedBy: namedBy?.jsonlDir });
  const catalog = new Catalog([user, builtIn], logging);
  return {
    ...catalogFeature(catalog),
    prompts: new CatalogProvider({ catalog, asks: false }),
    methods: createMethods(new Editor(catalog, user), { revisions: false }),
  };
}

/** Only Jinja libraries. */
export function createTwig({
  twigDir,
  userHome,
  poll = false,
  namedBy,
  ...logging
}: PromptsOptions): Feature {
  const source = new TwigSource({ folder: twigDir, userHome, poll, namedBy: namedBy?.twigDir });
  const catalog = new Catalog([source], logging);
  return { ...catalogFeature(catalog), prompts: new CatalogProvider({ catalog, asks: false }) };
}

/** Returns the folder if it exists and is not the own one. */
function otherFolder(folder: string | undefined, own: string): string | undefined {
  return folder !== undefined && folder !== own && existsSync(folder) ? folder : undefined;
}

function createUserSource(folder: string, poll: boolean, records: Records | undefined): EditablePromptSource {
  return records === undefined ? new UserSource({ folder, poll }) : new SharedSource(records);
}

function catalogFeature(
  catalog: Catalog,
): Pick<Feature, 'name' | 'problems' | 'close'> & Pick<PromptsFeature, 'subscribe'> {
  return {
    name: 'prompts',
    problems: () => catalog.problems(),
    subscribe: (listener) => catalog.subscribe(() => listener({ kind: 'prompts' })),
    close: () => catalog.close(),
  };
}
