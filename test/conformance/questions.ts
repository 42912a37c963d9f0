import type { AskRequest } from '../../src/context.ts';

export function elicit(message: string, properties: object, required?: readonly string[]): AskRequest {
  return {
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties, ...(required && { required }) } },
  };
}

export function sample(prompt: string, maxTokens = 100): AskRequest {
  return {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
  };
}

export const listRoots: AskRequest = { method: 'roots/list', params: {} };

export const askName = elicit('What is your name?', { name: { type: 'string' } }, ['name']);
