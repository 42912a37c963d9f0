import { join } from 'node:path';
import { defineSettings } from '../setting.ts';
import { policyNames } from './policy/policy.ts';

export const assistantSettings = defineSettings({
  'assistant.database_url': {
    type: 'string',
    default: (places) =>
      places.home ? join(places.home, 'adjutant.db') : join(places.data, 'adjutant', 'adjutant.db'),
    aliases: [{ env: 'DATABASE_URL' }],
    description: 'Where the diary is kept: a SQLite file, or postgres://USER:PASSWORD@HOST/DATABASE.',
  },
  'assistant.policy': {
    type: 'choice',
    values: policyNames,
    default: 'rules',
    description:
      'Who decides when to notify: the built-in rules, a model at an address, a sub-agent, or the model of the client.',
  },
  'assistant.model_url': {
    type: 'address',
    schemes: ['http', 'https'],
    description: 'The address of a model that speaks chat completions, like http://localhost:11434/v1.',
  },
  'assistant.model': { type: 'string', description: 'The name of the model at that address.' },
  'assistant.model_api_key': {
    type: 'string',
    description: 'The key for that address; best given in the environment.',
  },
  'assistant.model_timeout_ms': {
    type: 'integer',
    minimum: 100,
    maximum: 600_000,
    default: 15_000,
    description: 'How long one answer of a model may take before the rules decide.',
  },
  'assistant.tool_timeout_ms': {
    type: 'integer',
    minimum: 1,
    maximum: 600_000,
    default: 30_000,
    description: 'How long one call of a tool may take.',
  },
});
