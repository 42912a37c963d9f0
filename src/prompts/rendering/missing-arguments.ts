import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { type Arguments, missingArguments } from './rendering.ts';

/** Asks the user for missing required arguments if the client supports forms. Returns all arguments. */
export async function askForMissing(
  definition: PromptDefinition,
  given: Arguments,
  context: Context,
): Promise<Arguments> {
  const missing = missingArguments(definition, given);
  return missing.length === 0 || !canFillForms(context) ? given : ask(definition, given, missing, context);
}

async function ask(
  definition: PromptDefinition,
  given: Arguments,
  missing: readonly string[],
  context: Context,
): Promise<Arguments> {
  const requested = definition.arguments.filter(({ name }) => missing.includes(name));
  const { arguments: answer = {} } = await context.ask({
    arguments: {
      method: 'elicitation/create',
      params: {
        message: `The prompt ${definition.title ?? definition.name} needs ${missing.join(', ')}.`,
        requestedSchema: {
          type: 'object',
          properties: Object.fromEntries(requested.map((argument) => [argument.name, toFormField(argument)])),
          required: missing,
        },
      },
    },
  });
  if (answer['action'] !== 'accept') {
    throw new Failure(
      'missing-argument',
      `Missing required argument: ${missing[0]} (the user was asked but did not provide it)`,
    );
  }
  return { ...given, ...(isObject(answer['content']) ? answer['content'] : {}) };
}

/** Some clients support elicitation only with URLs, not with forms. */
function canFillForms(context: Context): boolean {
  const elicitation = context.client.capabilities['elicitation'];
  return (
    context.can('elicitation') && isObject(elicitation) && ('form' in elicitation || !('url' in elicitation))
  );
}

function toFormField({ name, description, values }: ArgumentDefinition): JsonObject {
  return {
    type: 'string',
    title: name,
    ...(description !== undefined && { description }),
    ...(values !== undefined && values.length > 0 && { enum: values }),
  };
}
