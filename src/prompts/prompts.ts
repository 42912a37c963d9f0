import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatModel } from '../chat-model.ts';
import { type ExpandText, extensions, type Feature } from '../feature.ts';
import { present } from '../json.ts';
import { Lazy } from '../pace.ts';
import type { Records } from '../store/records.ts';
import { Catalog, type CatalogEntry } from './catalog/catalog.ts';
import { Editor } from './catalog/editor.ts';
import { Expander } from './catalog/expander.ts';
import { type ExposeOptions, Exposure } from './catalog/exposure.ts';
import { LastListed } from './catalog/last-listed.ts';
import { CatalogProvider } from './catalog/provider.ts';
import { Shelf } from './catalog/shelf.ts';
import type { SkillAddress } from './catalog/skill-addresses.ts';
import { Usage } from './catalog/usage.ts';
import type { PromptDefinition } from './definition/definition.ts';
import { shownDescription } from './definition/shown-description.ts';
import type { EditablePromptSource, PromptSource } from './definition/source.ts';
import { BuiltInSource } from './jsonl/built-in-source.ts';
import { SharedSource } from './jsonl/shared-source.ts';
import { UserSource } from './jsonl/user-source.ts';
import { withoutSilencedInFiles, withRules } from './lint/rules.ts';
import { localRepositories, type RepositoryOptions } from './mounts/local-repository.ts';
import { type MountOptions, MountSource } from './mounts/mount.ts';
import { RepositorySource } from './mounts/repository.ts';
import type { RunGit } from './mounts/repository-pull.ts';
import { nativeProblems } from './native/native-sync.ts';
import { RecentValues } from './rendering/arguments.ts';
import type { ComposedPrompts } from './rendering/composition.ts';
import { CommandSource } from './sources/commands.ts';
import { TwigSource } from './sources/twig.ts';
import { TestedRevisions } from './testing/tested-revisions.ts';
import { TrialStore } from './testing/trial-store.ts';
import { createCatalogTools, createShow } from './tools/catalog-tools.ts';
import { createExpandCommand, createListCommands } from './tools/command-tools.ts';
import { createEditingTools, createMethods } from './tools/editing-tools.ts';
import { createDeletedTool, createHistoryTool, createLabelTool } from './tools/history-tools.ts';
import { createLibraryProblems, createLibraryTools } from './tools/library-tools.ts';
import { createTestTool } from './tools/test-tool.ts';
import { createTryTools } from './tools/try-tools.ts';
import { createUsageTool } from './tools/usage-tool.ts';
import type { OpenRepository } from './versions/git-history.ts';
import { LabelStore } from './versions/label-store.ts';
import { Versions } from './versions/versions.ts';

export interface PromptsOptions {
  readonly commandsDir: string;
  readonly jsonlDir: string;
  readonly twigDir: string;
  /** Folders of other programs whose prompts are served, and edited, in place if they exist. */
  readonly originals?: { readonly hexaiDir?: string | undefined; readonly twigDir?: string | undefined };
  /** Prompt files of other programs. */
  readonly mounts?: readonly MountOptions[];
  /** Folders of skills, which are prompts too. */
  readonly skillFolders?: readonly string[];
  /** Git repositories of prompts, and the folder for their files. */
  readonly repositories?: {
    readonly list: readonly RepositoryOptions[];
    readonly folder: string;
    readonly git: RunGit;
  };
  /** Messages abbreviate this folder to `~`. */
  readonly userHome: string;
  /** Stores the user's own prompts in a database instead of a file. */
  readonly records?: Records;
  /** Polls for changes instead of relying on file system events. */
  readonly poll?: boolean;
  /** The flag or setting that names each folder, unless it is the default folder. */
  readonly namedBy?: { readonly [folder in 'commandsDir' | 'jsonlDir' | 'twigDir']?: string | undefined };
  /** Opens git repositories for the history of prompt files. */
  readonly openRepository?: OpenRepository;
  /** Labels that only a person may move. */
  readonly protectedLabels?: readonly string[];
  /** A label does not move to a revision whose tests fail. */
  readonly holdsLabels?: boolean;
  /** The model that answers tests of prompts. */
  readonly model?: ChatModel;
  /** Rules of lint that are not reported. */
  readonly silencedRules?: readonly string[];
  /** Counts how often prompts are used. Default: true. */
  readonly countsUsage?: boolean;
  /** Which prompts clients list. Default: all. */
  readonly expose?: ExposeOptions;
  /** Where clients that cannot read files of this machine find those of a skill. */
  readonly skillAddress?: SkillAddress;
  /** Keeps the index of the search. Default: in memory. */
  readonly searchFile?: string;
  /** Where the folders of clients are listed that have prompts as native commands. */
  readonly nativeDir?: string;
  /** Keeps the list of prompts for clients that do not wait until all files are read. */
  readonly listFile?: string;
  /** Also logs invalid files and missing folders. */
  readonly logsProblems?: boolean;
}

export interface PromptDocuments {
  /** Documents about prompts: their labels. */
  readonly documents: Records;
  /** Documents that stay on this machine: how often prompts are used, and the answers of trials. */
  readonly localDocuments: Records;
}

/** The feature with its prompts as they are stored, for files that other programs read. */
export interface PromptsFeature extends Feature {
  readonly subscribe: NonNullable<Feature['subscribe']>;
  /** All prompts before rendering, to serve them in other forms. Returns the same array object until something changes. */
  library(): Promise<readonly LibraryPrompt[]>;
  /** Throws if a source is unavailable: its prompts must not count as deleted. */
  entries(): Promise<readonly CatalogEntry[]>;
  /** Those of the entries that clients list. */
  exposed(entries: readonly CatalogEntry[]): Promise<readonly CatalogEntry[]>;
  readonly expandText: ExpandText;
}

/** A prompt as stored, with the description that lists show. */
interface LibraryPrompt extends PromptDefinition {
  /** Whether clients list it. */
  readonly isListed: boolean;
  /** The source that has the prompt. */
  readonly source: string;
}

const everything: ExposeOptions = { rules: ['all'], limit: 0 };

/** All sources in one catalogue. */
export function createPrompts(options: PromptsOptions & PromptDocuments): PromptsFeature {
  const {
    jsonlDir,
    records,
    documents,
    localDocuments,
    logsProblems = false,
    openRepository,
    protectedLabels = [],
    holdsLabels = false,
    model,
    countsUsage = true,
    silencedRules = [],
  } = options;
  const { user, hexai, sources } = createSources(options, (name) => catalog.find(name));
  const catalog = new Catalog(sources, {
    reportsTextChanges: true,
    logsProblems,
    checks: async (entries, find) => {
      if (!entries.some(({ definition }) => definition.tests !== undefined)) return [];
      const { failingTests } = await import('./testing/prompt-tests.ts');
      return failingTests(entries, find);
    },
    filter: async (problems) => withoutSilencedInFiles(await withRules(problems), new Set(silencedRules)),
  });
  const editor = new Editor(catalog, user, hexai);
  // Files of this machine are not for the machines that share the database.
  const labels = new LabelStore(documents, records === undefined ? jsonlDir : undefined);
  const versions = new Versions(catalog, labels, { protectedLabels, holdsLabels });
  const tested = new TestedRevisions(join(jsonlDir, 'tested.json'));
  const recent = new RecentValues();
  const libraryProblems = createLibraryProblems(catalog, silencedRules);
  const shelf = new Shelf(documents);
  const usage = countsUsage ? new Usage(localDocuments, join(jsonlDir, 'usage')) : undefined;
  const trials = new TrialStore(localDocuments, join(jsonlDir, 'trials.jsonl'));
  const search = new Lazy(async () => {
    const { PromptSearch } = await import('./catalog/search.ts');
    return new PromptSearch(catalog, { boosts: usage && (() => usage.boosts()), file: options.searchFile });
  });
  const { skillAddress, nativeDir } = options;
  const expander = new Expander({ find: versions.find, recent, usage, skillAddress });
  const exposure = new Exposure(catalog, options.expose ?? everything, shelf, usage);
  const listed: Pick<PromptsFeature, 'entries' | 'exposed'> = {
    async entries() {
      for (const source of sources) await source.list();
      return catalog.list();
    },
    exposed: (entries) => exposure.choose(entries),
  };
  let library: { readonly of: readonly unknown[]; readonly prompts: readonly LibraryPrompt[] } | undefined;
  return {
    ...catalogFeature(catalog),
    subscribe(listener) {
      const changed = () => listener({ kind: 'prompts' });
      const unsubscribe = [catalog.subscribe(changed), shelf.subscribe(changed)];
      return () => {
        for (const stop of unsubscribe) stop();
      };
    },
    async problems() {
      const found = (await libraryProblems()).filter(({ severity }) => severity !== 'note');
      return nativeDir === undefined ? found : [...found, ...(await nativeProblems(listed, nativeDir))];
    },
    expandText: expander.expandText,
    async close() {
      catalog.close();
      await (await search.current)?.close();
      await usage?.flush();
      await localDocuments.close();
      await documents.close();
    },
    ...listed,
    async library() {
      const entries = await catalog.list();
      const exposed = await exposure.choose(entries);
      if (library?.of[0] !== entries || library.of[1] !== exposed) {
        const isExposed = new Set(exposed);
        const prompts = entries.map((entry) => ({
          ...entry.definition,
          ...present({ description: shownDescription(entry.definition) }),
          isListed: isExposed.has(entry),
          source: entry.source.name,
        }));
        library = { of: [entries, exposed], prompts };
      }
      return library.prompts;
    },
    tools: [
      ...createCatalogTools({ catalog, expander, search, shelf, versions }),
      createUsageTool(usage),
      createShow(catalog, versions),
      ...createEditingTools(editor, versions),
      createDeletedTool(editor),
      createHistoryTool({ editor, versions, openRepository }),
      createLabelTool(versions),
      createTestTool({ catalog, versions, tested, model }),
      ...createTryTools({ catalog, versions, model, trials }),
      ...createLibraryTools(catalog, versions, editor, libraryProblems, silencedRules),
    ],
    prompts: new CatalogProvider({
      catalog,
      find: versions.find,
      asks: true,
      recent,
      usage,
      derives: true,
      choose: (entries, client) => exposure.choose(entries, client),
      filings: () => shelf.filings(),
      last: options.listFile === undefined ? undefined : new LastListed(options.listFile),
      skillAddress,
      escapes: true,
      revisions: true,
    }),
    methods: createMethods(editor, { revisions: true }),
    extensions: extensions.prompts,
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

function catalogFeature(
  catalog: Catalog,
): Pick<Feature, 'name' | 'problems' | 'close'> & Pick<PromptsFeature, 'subscribe'> {
  return {
    name: 'prompts',
    problems: () => catalog.problems(),
    subscribe: (listener) => catalog.subscribe(() => listener({ kind: 'prompts' })),
    close: async () => catalog.close(),
  };
}

/**
 * All sources of the standard contract. If several sources have a prompt of the same name, the first one counts: the user's
 * own prompts, those of hexai, commands, libraries, those of twig, repositories and mounts in their order, built-in prompts.
 */
function createSources(
  {
    commandsDir,
    jsonlDir,
    twigDir,
    originals = {},
    mounts = [],
    skillFolders = [],
    userHome,
    records,
    poll = false,
    namedBy = {},
    repositories,
  }: PromptsOptions,
  find: ComposedPrompts['find'],
): {
  readonly user: EditablePromptSource;
  readonly hexai: readonly UserSource[];
  readonly sources: readonly PromptSource[];
} {
  const user = createUserSource(jsonlDir, poll, records);
  // A database replaces the files of this machine; `migrate` copies the prompts of hexai too.
  const hexaiDir = records === undefined ? otherFolder(originals.hexaiDir, jsonlDir) : undefined;
  const otherTwigDir = otherFolder(originals.twigDir, twigDir);
  const hexai = hexaiDir === undefined ? [] : [new UserSource({ name: 'hexai', folder: hexaiDir, poll })];
  const builtInDir = existsSync(join(jsonlDir, 'default.jsonl')) ? jsonlDir : (hexaiDir ?? jsonlDir);
  const libraries: (TwigSource | RepositorySource)[] = [];
  const composedPrompts: ComposedPrompts = {
    find,
    async libraryFile(library, path) {
      for (const source of libraries) {
        const text = await source.templateFile(library, path);
        if (text !== undefined) return text;
      }
      return undefined;
    },
  };
  const composition = async () => {
    const { Composition } = await import('./rendering/composition.ts');
    return new Composition(composedPrompts);
  };
  libraries.push(
    new TwigSource({
      name: 'libraries',
      folder: twigDir,
      userHome,
      poll,
      namedBy: namedBy.twigDir,
      composition,
    }),
    ...(otherTwigDir === undefined
      ? []
      : [new TwigSource({ folder: otherTwigDir, userHome, poll, composition })]),
    ...localRepositories(repositories?.folder ?? '', repositories?.list ?? []).map(
      (repository) => new RepositorySource({ repository, git: repositories!.git, poll, composition }),
    ),
  );
  const sources = [
    user,
    ...hexai,
    new CommandSource({ folder: commandsDir, poll, namedBy: namedBy.commandsDir, composition }),
    ...libraries,
    ...mounts.map((mount) => new MountSource({ ...mount, namedBy: 'prompts.mounts', poll })),
    ...skillFolders.map(
      (path) => new MountSource({ format: 'claude-skills', path, namedBy: 'skills.folders', poll }),
    ),
    new BuiltInSource({ folder: builtInDir, seeds: false, poll, namedBy: namedBy.jsonlDir }),
  ];
  return { user, hexai, sources };
}

/** Returns the folder if it exists and is not the own one. */
function otherFolder(folder: string | undefined, own: string): string | undefined {
  return folder !== undefined && folder !== own && existsSync(folder) ? folder : undefined;
}

function createUserSource(folder: string, poll: boolean, records: Records | undefined): EditablePromptSource {
  return records === undefined ? new UserSource({ folder, poll }) : new SharedSource(records);
}
