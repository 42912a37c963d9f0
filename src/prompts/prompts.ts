import type { Feature } from '../feature.ts';
import { Catalog } from './catalog.ts';
import { createExpandCommand, createListCommands } from './command-tools.ts';
import { CommandSource } from './commands.ts';
import { CatalogProvider } from './provider.ts';
import type { PromptSource } from './source.ts';
import { TwigSource } from './twig.ts';

export interface PromptsOptions {
  readonly commandsDir: string;
  readonly twigDir: string;
  /** The folder that messages write as `~`. */
  readonly userHome: string;
  /** Never rely on the system's notices of changed files. */
  readonly poll?: boolean;
}

/** The living prompt library: every source in one catalogue. */
export function createPrompts({ commandsDir, twigDir, userHome, poll = false }: PromptsOptions): Feature {
  const sources = [
    new CommandSource({ folder: commandsDir, poll }),
    new TwigSource({ folder: twigDir, userHome, poll }),
  ];
  const catalog = new Catalog(sources);
  return {
    ...live(catalog),
    tools: [createListCommands(catalog), createExpandCommand(catalog)],
    prompts: new CatalogProvider({ catalog, asks: true }),
  };
}

/** Markdown commands alone, behind their two tools. */
export function createCommands({ commandsDir, poll = false }: PromptsOptions): Feature {
  const catalog = new Catalog([new CommandSource({ folder: commandsDir, plain: true, poll })]);
  return { ...live(catalog), tools: [createListCommands(catalog), createExpandCommand(catalog)] };
}

/** Jinja libraries alone. */
export function createTwig({ twigDir, userHome, poll = false }: PromptsOptions): Feature {
  return promptsOnly([new TwigSource({ folder: twigDir, userHome, poll })]);
}

function promptsOnly(sources: readonly PromptSource[]): Feature {
  const catalog = new Catalog(sources);
  return { ...live(catalog), prompts: new CatalogProvider({ catalog, asks: false }) };
}

function live(
  catalog: Catalog,
): Pick<Feature, 'name' | 'problems' | 'subscribe' | 'close'> & { name: string } {
  return {
    name: 'prompts',
    problems: () => catalog.problems(),
    subscribe: (listener) => catalog.subscribe(() => listener({ kind: 'prompts' })),
    close: () => catalog.close(),
  };
}
