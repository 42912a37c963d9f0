import { Failure, type Issue } from '../../failure.ts';
import type { PromptMessage, RenderedPrompt } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { PromptSource } from '../definition/source.ts';
import { type Arguments, fillTyped, missingArguments } from './arguments.ts';

export const inputPlaceholder = '{{input}}';

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
  const messages = await Promise.all(
    definition.messages.map(
      async ({ role, content }, index): Promise<PromptMessage> => ({
        role,
        content:
          content.type === 'text'
            ? { ...content, text: (await render(content.text, index)) + appended }
            : content,
      }),
    ),
  );
  const { description } = definition;
  return { ...(description !== undefined && { description }), messages };
}

type Renderer = (text: string, message: number) => Promise<string>;

async function createRenderer(
  definition: PromptDefinition,
  args: Arguments,
  source: PromptSource,
): Promise<Renderer> {
  switch (definition.template) {
    case 'none':
      return async (text) => text;
    case 'input': {
      const { input = '' } = requireText({ input: args['input'] ?? '' });
      return async (text) =>
        text.includes(inputPlaceholder) ? text.split(inputPlaceholder).join(input) : `${text}\n\n${input}`;
    }
    case 'braces': {
      const values = requireText(args);
      return async (text) =>
        text.replaceAll(/\{\{([^{}]+)\}\}/g, (placeholder, name: string) =>
          Object.hasOwn(values, name) ? values[name]! : placeholder,
        );
    }
    case 'jinja':
      return (await import('./jinja-rendering.ts')).renderTemplates(
        definition,
        declaredOnly(definition, args),
        source,
      );
  }
}

function withDefaults({ arguments: declared }: PromptDefinition, given: Arguments): Arguments {
  const withDefault = declared.filter((argument) => argument.default !== undefined);
  if (withDefault.length === 0) return given;
  return { ...Object.fromEntries(withDefault.map(({ name, default: value }) => [name, value])), ...given };
}

/** Requires all arguments to be text: only Jinja templates can render other values. */
function requireText(args: Arguments): Readonly<Record<string, string>> {
  if (Object.values(args).every((value) => typeof value === 'string'))
    return args as Readonly<Record<string, string>>;
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
  const names = issues.map(({ path }) => path[1]).join(', ');
  throw new Failure('invalid-params', `Arguments must be text: ${names}`, { issues });
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

/** Joins the messages into one text for clients that accept only text. Adds the roles unless all messages are from the user. */
export function flatten(messages: readonly PromptMessage[]): string {
  const showRoles = messages.some(({ role }) => role !== 'user');
  return messages
    .map(({ role, content }) => {
      const text = content.type === 'text' ? content.text : `[${content.type}]`;
      return showRoles ? `[${role}]\n${text}` : text;
    })
    .join('\n\n');
}
