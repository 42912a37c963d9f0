import { basename, dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { PromptSource, TemplateSet } from '../definition/source.ts';
import { TemplateError } from '../jinja/template-error.ts';
import { freeVariables } from '../template/variables.ts';
import { CompiledTemplates } from './template-set.ts';

type Renderer = (text: string, message: number) => string;

/** Prepares the messages of a prompt for rendering. Errors contain the file and line, but never an argument's value. */
export async function renderTemplates(
  definition: PromptDefinition,
  args: Readonly<Record<string, string>>,
  source: PromptSource,
): Promise<Renderer> {
  try {
    const templates = await (source.templates?.(definition) ?? ownTemplates(definition));
    assertKnown(definition, templates);
    return (_, message) => {
      try {
        return templates.jinja.render(templates.names[message]!, args);
      } catch (error) {
        throw renderFailure(definition, error);
      }
    };
  } catch (error) {
    throw renderFailure(definition, error);
  }
}

/** Compiles a prompt whose source has no library, so there are no templates to include. */
async function ownTemplates(definition: PromptDefinition): Promise<TemplateSet> {
  const known = compiledAlone.get(definition);
  if (known !== undefined) return known;
  const set = await CompiledTemplates.compile(
    definition.messages.map(({ content }, index) => [
      index === 0 ? ownTemplateName(definition) : `${index + 1}.md`,
      content.type === 'text' ? content.text : '',
    ]),
    { load: async () => undefined, names: () => [] },
  );
  compiledAlone.set(definition, set);
  return set;
}

const compiledAlone = new WeakMap<PromptDefinition, TemplateSet>();

function ownTemplateName({ file }: PromptDefinition): string {
  return basename(file);
}

interface UnknownVariable {
  readonly name: string;
  readonly template: string;
  readonly line: number;
}

const checked = new WeakMap<TemplateSet, UnknownVariable | undefined>();

/** Undefined variables print as nothing, so this check finds misspelt names before rendering. */
function assertKnown(definition: PromptDefinition, templates: TemplateSet): void {
  if (!checked.has(templates)) checked.set(templates, firstUnknown(definition, templates));
  const unknown = checked.get(templates);
  if (unknown !== undefined)
    throw new TemplateError(unknown.template, `undefined variable '${unknown.name}'`, unknown.line);
}

function firstUnknown(definition: PromptDefinition, templates: TemplateSet): UnknownVariable | undefined {
  const declared = new Set(definition.arguments.map(({ name }) => name));
  for (const template of templates.names) {
    const found = freeVariables(templates.sourceOf(template) ?? '', (name) => templates.sourceOf(name)).find(
      ({ name, called, guarded }) => !called && !guarded && !declared.has(name),
    );
    if (found !== undefined) return { template, ...found };
  }
  return undefined;
}

function renderFailure(definition: PromptDefinition, error: unknown): unknown {
  if (!(error instanceof TemplateError)) return error;
  const own = error.template === ownTemplateName(definition);
  const line = error.line === undefined ? undefined : own ? error.line + definition.line - 1 : error.line;
  const where = line === undefined ? '' : ` at line ${line}`;
  const file = own ? '' : ` (in ${error.template})`;
  return new Failure('render-failed', `Error rendering prompt template${where}: ${error.message}${file}`, {
    data: {
      file: join(dirname(definition.file), error.template),
      ...(line !== undefined && { line }),
    },
  });
}
