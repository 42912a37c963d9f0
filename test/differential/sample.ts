// The data that both servers serve.

export const server = { name: 'sample', version: '1.0.0' };

export const addInput = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const;

export const addOutput = {
  type: 'object',
  properties: { sum: { type: 'number' } },
  required: ['sum'],
} as const;

export const noArguments = { type: 'object', properties: {} } as const;

export const question = {
  message: 'What is your name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
} as const;

export const note = { uri: 'note://one', name: 'one', mimeType: 'text/plain', text: 'The first note.' };

export const names = ['Ada', 'Alan', 'Grace'];

export function greet(name: string): string {
  return `Say hello to ${name}.`;
}
