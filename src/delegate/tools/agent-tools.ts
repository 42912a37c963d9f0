import { defineTool, hints } from '../../tool.ts';
import { surveyAgent, surveySchema } from '../agents/agent-survey.ts';
import type { DelegateOptions } from '../run/delegate-options.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';

/** The tool that lists the agents of this machine. */
export function agentTools(options: DelegateOptions, runtime: () => Promise<DelegationRuntime>) {
  return [
    defineTool({
      name: 'list_agents',
      toolsets: ['runs'],
      scope: 'delegate:read-only',
      title: 'List Agents',
      description: 'Lists the agents for runs: version, sign-in, abilities.',
      searchHint: 'available codex claude gemini opencode qwen acp',
      phrases:
        'which agents programs are available installed set up here can use choose codex claude gemini qwen opencode version signed in logged abilities supports able know options what helpers exist',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: {
        type: 'object',
        required: ['agents', 'default'],
        properties: {
          default: { type: 'string' },
          agents: { type: 'array', items: surveySchema },
        },
      },
      annotations: hints.reads,
      async call() {
        const { delegation } = await runtime();
        const agents = await Promise.all(
          delegation.runner.agents.all.map((agent) => surveyAgent(agent, options)),
        );
        const lines = agents.map(({ name, program, version, signed_in, can, hint }) => {
          const state =
            program === null ? 'not installed' : `${version ?? 'unknown version'}, ${signInText(signed_in)}`;
          return `${name}: ${state}; can ${can.join(', ')}${hint === undefined ? '' : ` (${hint})`}`;
        });
        return {
          structured: { agents, default: options.agent },
          content: [{ type: 'text', text: lines.join('\n') }],
        };
      },
    }),
  ] as const;
}

function signInText(signedIn: boolean | null): string {
  if (signedIn === null) return 'sign-in unknown';
  return signedIn ? 'signed in' : 'not signed in';
}
