import { join } from 'node:path';
import { defineSettings } from '../setting.ts';
import { policyNames } from './policy/policy.ts';

export const assistantSettings = defineSettings({
  'assistant.database_url': {
    type: 'string',
    default: (places) =>
      places.home ? join(places.home, 'adjutant.db') : join(places.data, 'adjutant', 'adjutant.db'),
    aliases: [{ env: 'DATABASE_URL' }],
    description:
      'Database for events and notifications: a SQLite file, or postgres://USER:PASSWORD@HOST/DATABASE.',
  },
  'assistant.policy': {
    type: 'choice',
    values: policyNames,
    default: 'rules',
    description:
      'What decides when to notify: the built-in rules, a model endpoint, a sub-agent, or the model of the client.',
  },
  'assistant.model_url': {
    type: 'address',
    schemes: ['http', 'https'],
    description:
      'Base URL of an OpenAI-compatible chat completions server, such as http://localhost:11434/v1.',
  },
  'assistant.model': { type: 'string', description: 'Name of the model on that server.' },
  'assistant.model_api_key': {
    type: 'string',
    description: 'API key for that server. Prefer the environment variable.',
  },
  'assistant.model_timeout_ms': {
    type: 'integer',
    minimum: 100,
    maximum: 600_000,
    default: 15_000,
    description: 'Time limit for one answer of a model. After that the built-in rules decide.',
  },
  'assistant.tool_timeout_ms': {
    type: 'integer',
    minimum: 1,
    maximum: 600_000,
    default: 30_000,
    description: 'Time limit for one tool call.',
  },
});
