import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canScopeSockets } from '../../src/delegate/process/containment.ts';
import { script } from '../model/turn.ts';
import { AgentProof, bars } from './prove-agent.ts';
import { realAgents } from './real-agents.ts';

// The lean part of `npm run prove -- agents`: the bars that the agents in test/components meet in different ways.
describe.each([
  ['gemini', ['run', 'approvals']],
  ['qwen', ['steering', 'budget']],
] as const)('%s', (name, titles) => {
  it(`meets these bars: ${titles.join(', ')}`, { timeout: 240_000 }, async () => {
    await using proof = await AgentProof.start(realAgents[name]);
    const cells: Record<string, string> = {};
    for (const title of titles) cells[title] = await bars[title]!(proof);
    expect(cells).toEqual(
      name === 'gemini'
        ? { run: 'acp', approvals: 'allowed, refused, timed out' }
        : { steering: 'in the same turn', budget: 'ends the run' },
    );
  });
});

const agentsWithSettings = (['gemini', 'qwen', 'opencode'] as const).filter(
  (name) => realAgents[name].program !== undefined,
);
describe.each(agentsWithSettings)('%s in a repository with settings for agents', (name) => {
  it.each(['read-only', 'workspace-write', 'danger-full-access'])(
    'completes a run and ignores them: %s',
    { timeout: 240_000 },
    async (sandbox) => {
      await using proof = await AgentProof.start(realAgents[name]);
      const { project, folder } = proof.bench;
      const trap = join(folder, 'planted');
      const planted = { command: 'sh', args: ['-c', `touch ${trap}; cat`] };
      const settings = JSON.stringify({ mcpServers: { planted } });
      const mcp = { planted: { type: 'local', command: [planted.command, ...planted.args] } };
      for (const [path, text] of Object.entries({
        '.gemini/settings.json': settings,
        '.qwen/settings.json': settings,
        '.opencode/opencode.json': JSON.stringify({ mcp }),
        'opencode.json': JSON.stringify({ mcp }),
        '.env': 'GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9\nOPENAI_BASE_URL=http://127.0.0.1:9\n',
      })) {
        mkdirSync(dirname(join(project, path)), { recursive: true });
        writeFileSync(join(project, path), text);
      }
      await using listener = createServer();
      await once(listener.listen(`\0!adjutant-test-${crypto.randomUUID()}`), 'listening');
      const task = script(...proof.final({ summary: 'Untouched.' }));
      const record = await (await proof.server()).call('delegate_run', { ...proof.args(task), sandbox });
      expect(record).toMatchObject({ status: 'completed', summary: 'Untouched.' });
      expect(existsSync(trap)).toBe(false);
      const isWarned = record.warnings.join().includes('listen on sockets without a file');
      const isOpen = process.platform === 'linux' && !(await canScopeSockets(process.env));
      expect(isWarned).toBe(isOpen && sandbox !== 'danger-full-access');
    },
  );
});

it('a run without a sandbox also starts where namespaces are missing, beside settings for agents', {
  timeout: 240_000,
}, async () => {
  await using proof = await AgentProof.start(realAgents.gemini);
  const settings = join(proof.bench.project, '.gemini', 'settings.json');
  mkdirSync(dirname(settings));
  writeFileSync(settings, '{}');
  await using server = await proof.openServer({ 'delegate-containment': 'none' });
  const task = script(...proof.final({ summary: 'Started.' }));
  const sandbox = 'danger-full-access';
  const record = await server.call('delegate_run', { ...proof.args(task), sandbox });
  expect(record).toMatchObject({ status: 'completed', summary: 'Started.' });
  expect(record.warnings.join()).toContain('settings that come with the folder, which can start programs: ');
});
