import { describe, expect, it } from 'vitest';
import { realClients } from '../clients/clients.ts';
import { proveClient } from '../clients/matrix.ts';
import { componentFile } from '../components.ts';

describe('a client that adjutant install has configured', () => {
  // `npm run prove -- clients` adds the newest Claude Code and opencode, which are too large to be installed for every test run.
  it.each(['codex', 'claude', 'gemini', 'qwen'] as const)(
    '%s shows its model all tools and the rule for :command, and passes calls and native prompts on whole',
    async (id) => {
      const client = realClients[id];
      const { problems } = await proveClient(client, componentFile(`.bin/${client.program}`));
      expect(problems).toEqual([]);
    },
    120_000,
  );
});
