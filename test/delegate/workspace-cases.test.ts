import { expect, it } from 'vitest';
import { runCase } from './workspace-cases.ts';

const kinds =
  process.platform === 'linux' ? (['overlay', 'overlay', 'overlay', 'copy'] as const) : (['copy'] as const);

// `npm run prove -- workspace` has 1,000 of them.
it.each(Array.from({ length: 16 }, (_, at) => at + 1))(
  'random folder %i › evidence is what the agent changed, and undo restores everything',
  async (seed) => {
    const { problems } = await runCase(seed, kinds[seed % kinds.length]!);
    expect(problems).toEqual([]);
  },
);
