import type { Arguments } from './rendering.ts';

const kept = 20;
const longest = 200;

/** Values people gave lately, to offer them again. They stay in memory: an argument may be nobody else's business. */
export class RecentValues {
  readonly #values = new Map<string, string[]>();

  remember(prompt: string, args: Arguments): void {
    for (const [argument, value] of Object.entries(args)) {
      if (typeof value !== 'string' || value === '' || value.length > longest || value.includes('\n'))
        continue;
      const key = keyOf(prompt, argument);
      const before = this.#values.get(key) ?? [];
      this.#values.set(key, [value, ...before.filter((other) => other !== value)].slice(0, kept));
    }
  }

  of(prompt: string, argument: string): readonly string[] {
    return this.#values.get(keyOf(prompt, argument)) ?? [];
  }
}

function keyOf(prompt: string, argument: string): string {
  return `${prompt}\0${argument}`;
}
