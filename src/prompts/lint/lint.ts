import { Pace } from '../../awaitable.ts';
import type { Problem } from '../../feature.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { limitProblems } from '../files/limit-problems.ts';
import { type Finding, type LintTarget, problemAt } from './finding.ts';
import { hiddenCharacters } from './hidden-characters.ts';
import { isLong, lintInThread } from './lint-thread.ts';
import { lintPlaceholders, unusedArguments } from './placeholders.ts';
import { withRules } from './rules.ts';

/** Checks one prompt without rendering it. */
export async function lintPrompt(target: LintTarget): Promise<readonly Problem[]> {
  const { definition, translated = false } = target;
  const texts = definition.messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : []));
  const findings = [
    ...nameFindings(target),
    ...hiddenInFields(definition),
    ...texts.flatMap(hiddenCharacters),
    ...(definition.template === 'jinja'
      ? []
      : texts.flatMap((text) => lintPlaceholders(definition, text, translated))),
    ...unusedArguments(definition, texts),
  ];
  const jinja =
    definition.template === 'jinja'
      ? await import('./jinja-checks.ts').then(({ lintJinja }) => lintJinja(target))
      : [];
  const prompts = [definition.name];
  return [...findings.map((finding) => problemAt(definition, finding)), ...jinja].map((problem) => ({
    ...problem,
    prompts,
  }));
}

/** Other servers accept only letters, digits and underscores in the names of JSONL prompts. */
function nameFindings({ definition: { name, file }, prefix }: LintTarget): readonly Finding[] {
  const written = prefix === undefined ? name : name.slice(prefix.length + 1);
  if (!file.endsWith('.jsonl') || /^[A-Za-z0-9_]+$/.test(written)) return [];
  return [
    {
      severity: 'warning',
      message: 'the name contains characters other than letters, digits and underscores',
    },
  ];
}

/** Finds hidden characters in the fields that lists show. */
function hiddenInFields({ name, title, description, arguments: declared }: PromptDefinition) {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['name', name],
    ['title', title],
    ['description', description],
    ...declared.map(
      (argument) => [`argument ${argument.name}`, `${argument.name}${argument.description ?? ''}`] as const,
    ),
  ];
  return fields.flatMap(([field, text]) =>
    hiddenCharacters(text ?? '').map(({ message, severity }) => ({
      severity,
      message: `${field}: ${message}`,
    })),
  );
}

/** Checks the named prompts of the catalog. Includes the problems that their sources report. */
export async function lintCatalog(catalog: Catalog, names: readonly string[]): Promise<readonly Problem[]> {
  const reported = (await catalog.problems()).filter(({ prompts }) =>
    prompts?.some((name) => names.includes(name)),
  );
  const entries = await Promise.all(names.map((name) => catalog.find(name)));
  return sortAndMerge(await withRules([...reported, ...(await lintEntries(catalog, entries))]));
}

/** Templates of a library can change without a change of the list, so its prompts are checked again after this time. */
const maxAgeMs = 5_000;

/**
 * Returns a function that checks all prompts of the catalog and includes the problems that the sources report. Prompts are
 * checked again only if something may have changed.
 */
export function createLibraryLint(catalog: Catalog): () => Promise<readonly Problem[]> {
  let last: { entries: readonly CatalogEntry[]; at: number; found: Promise<readonly Problem[]> } | undefined;
  return async () => {
    const entries = await catalog.list();
    const age = performance.now() - (last?.at ?? 0);
    const hasTemplates = catalog.sources.some(({ templates }) => templates !== undefined);
    if (last?.entries !== entries || (hasTemplates && age > maxAgeMs))
      last = { entries, at: performance.now(), found: lintEntries(catalog, entries) };
    // Together: a failure of one must not leave the other without a handler.
    const [reported, found] = await Promise.all([catalog.problems(), last.found]);
    return sortAndMerge(await withRules([...reported, ...found]));
  };
}

/** A long prompt is checked in a thread. */
function checkEntry(target: LintTarget): Promise<readonly Problem[]> {
  return isLong(target.definition) ? lintInThread(target) : lintPrompt(target);
}

async function lintEntries(catalog: Catalog, entries: readonly CatalogEntry[]): Promise<readonly Problem[]> {
  const problems: (readonly Problem[])[] = [];
  const pace = new Pace();
  for (const entry of entries) {
    // Only a definition that is loaded by name is linked to the templates of its library.
    const { definition, source } = entry.source.templates ? await catalog.find(entry.definition.name) : entry;
    problems.push(
      await checkEntry({
        definition,
        translated: source.translates ?? false,
        prefix: source.prefix,
        ...(source.templates !== undefined && { templates: () => source.templates!(definition) }),
      }),
    );
    await pace.pause;
  }
  return limitProblems(problems.flat());
}

/** Sorts problems by file and position. Merges equal problems of several prompts into one. */
export function sortAndMerge(problems: readonly Problem[]): readonly Problem[] {
  const files = [...Map.groupBy(problems, ({ file }) => file)];
  return files
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, found]) => mergeEqual(found).sort(byPosition));
}

const byPosition = (a: Problem, b: Problem) =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);

/** Merges equal problems of one file into one that names all their prompts. */
function mergeEqual(problems: readonly Problem[]): Problem[] {
  const unique = new Map<string, { problem: Problem; readonly prompts: Set<string> }>();
  for (const problem of problems) {
    const key = `${problem.line}:${problem.column}:${problem.message}`;
    const merged = unique.get(key) ?? { problem, prompts: new Set() };
    merged.problem = problem;
    for (const name of problem.prompts ?? []) merged.prompts.add(name);
    unique.set(key, merged);
  }
  return [...unique.values()].map(({ problem, prompts }) => ({
    ...problem,
    ...(prompts.size > 0 && { prompts: [...prompts] }),
  }));
}
