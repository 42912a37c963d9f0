import { toolAction } from './client/tool-command.ts';
import type { Command } from './terminal/command.ts';

const signedIn = (state: boolean | null) =>
  state === null ? 'sign-in unknown' : state ? 'signed in' : 'not signed in';

export const agents: Command = {
  name: 'agents',
  summary: 'Show which agents work here',
  actions: {
    list: toolAction({
      summary: 'Show which agents work here',
      examples: ['agents', 'agents list --json'],
      tool: 'list_agents',
      show: ({ agents: all, default: chosen }) =>
        all
          .flatMap(({ name, program, version, signed_in, hint }) => {
            const works = program !== null && hint === undefined;
            const state =
              program === null ? 'not installed' : `${version ?? 'unknown version'}, ${signedIn(signed_in)}`;
            return [
              `${works ? '✓' : program === null ? '·' : '!'} ${name}: ${state}${name === chosen ? ' (used by default)' : ''}`,
              ...(hint === undefined ? [] : [`    → ${hint}`]),
            ];
          })
          .join('\n'),
    }),
  },
};
