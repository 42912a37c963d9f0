import { Failure, type Issue } from '../../failure.ts';
import type { PromptMessage, RenderedPrompt } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { PromptSource } from '../definition/source.ts';
import { fillTyped } from './typed-arguments.ts';

export type Arguments = Readonly<Record<string, unknown>>;

export const inputPlaceholder = '{{input}}';

/** Names of required arguments that were not given. An empty value counts as given. */
export function missingArguments(
  { arguments: declared }: PromptDefinition,
  given: Arguments,
): readonly string[] {
  return declared
    .filter(
      (argument) =>
        argument.required && argument.default === undefined && !Object.hasOwn(given, argument.name),
    )
    .map((argument) => argument.name);
}

/** Renders the text of each message once, so values are never expanded again. Other content is sent unchanged. */
export async function renderPrompt(
  definition: PromptDefinition,
  given: Arguments,
  source: PromptSource,
): Promise<RenderedPrompt> {
  const [missing] = missingArguments(definition, given);
  if (missing !== undefined) throw new Failure('missing-argument', `Missing required argument: ${missing}`);
  const { args, appended } =
    definition.typed === undefined ? { args: given, appended: '' } : fillTyped(definition, given);
  const render = await createRenderer(definition, withDefaults(definition, args), source);
  const messages = definition.messages.map(({ role, content }, index): PromptMessage => {
    return {
      role,
      content:
        content.type === 'text' ? { ...content, text: render(content.text, index) + appended } : content,
    };
  });
  return {
    ...(definition.description !== undefined && { description: definition.description }),
    messages,
  };
}

type Renderer = (text: string, message: number) => string;

async function createRenderer(
  definition: PromptDefinition,
  args: Arguments,
  source: PromptSource,
): Promise<Renderer> {
  switch (definition.template) {
    case 'none':
      return (text) => text;
    case 'input': {
      const { input = '' } = requireText({ input: args['input'] ?? '' });
      return (text) =>
        text.includes(inputPlaceholder) ? text.split(inputPlaceholder).join(input) : `${text}\n\n${input}`;
    }
    case 'braces': {
      const values = requireText(args);
      return (text) =>
        text.replaceAll(/\{\{([^{}]+)\}\}/g, (placeholder, name: string) =>
          Object.hasOwn(values, name) ? values[name]! : placeholder,
        );
    }
    case 'jinja': {
      const { renderTemplates } = await import('./jinja-rendering.ts');
      return renderTemplates(definition, declaredOnly(definition, args), source);
    }
  }
}

function withDefaults({ arguments: declared }: PromptDefinition, given: Arguments): Arguments {
  const withDefault = declared.filter((argument) => argument.default !== undefined);
  if (withDefault.length === 0) return given;
  return { ...Object.fromEntries(withDefault.map(({ name, default: value }) => [name, value])), ...given };
}

/** Requires all arguments to be text: only Jinja templates can render other values. */
function requireText(args: Arguments): Readonly<Record<string, string>> {
  const issues = Object.entries(args)
    .filter(([, value]) => typeof value !== 'string')
    .map(
      ([name]): Issue => ({
        path: ['arguments', name],
        keyword: 'type',
        expected: 'string',
        message: 'must be text',
      }),
    );
  if (issues.length > 0) {
    const names = issues.map(({ path }) => path[1]).join(', ');
    throw new Failure('invalid-params', `Arguments must be text: ${names}`, { issues });
  }
  return args as Readonly<Record<string, string>>;
}

function declaredOnly(
  { arguments: declared }: PromptDefinition,
  args: Arguments,
): Readonly<Record<string, string>> {
  const present = declared.filter(({ name }) => args[name] !== undefined && args[name] !== null);
  return Object.fromEntries(
    present.map(({ name }) => {
      const value = args[name];
      return [name, typeof value === 'string' ? value : JSON.stringify(value)];
    }),
  );
}
