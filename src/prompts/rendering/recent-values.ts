import type { Arguments } from './rendering.ts';

const maxValues = 20;
const maxLength = 200;

/** Recently used argument values, offered as completions. Never written to disk, because arguments can be private. */
export class RecentValues {
  readonly #values = new Map<string, string[]>();

  remember(prompt: string, args: Arguments): void {
    for (const [argument, value] of Object.entries(args)) {
      if (typeof value !== 'string' || value === '' || value.length > maxLength || value.includes('\n'))
        continue;
      const key = keyOf(prompt, argument);
      const before = this.#values.get(key) ?? [];
      if (before[0] === value) continue;
      this.#values.set(key, [value, ...before.filter((other) => other !== value)].slice(0, maxValues));
    }
  }

  of(prompt: string, argument: string): readonly string[] {
    return this.#values.get(keyOf(prompt, argument)) ?? [];
  }
}

function keyOf(prompt: string, argument: string): string {
  return `${prompt}\0${argument}`;
}
