import type { Usage } from './agent-event.ts';

/** Returns the usage since an earlier total. */
export function usageSince(total: Usage, before: Usage): Usage {
  return combine((name) => Math.max(0, Number(total[name]) - Number(before[name])));
}

export function addUsage(one: Usage, other: Usage): Usage {
  return combine((name) => Number(one[name]) + Number(other[name]));
}

function combine(count: (name: keyof Usage) => number): Usage {
  return {
    input_tokens: count('input_tokens'),
    cached_input_tokens: count('cached_input_tokens'),
    output_tokens: count('output_tokens'),
    reasoning_output_tokens: count('reasoning_output_tokens'),
  };
}
