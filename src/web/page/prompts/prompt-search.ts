import { type Prompt, tagsOf } from './prompt.ts';

interface Entry {
  readonly prompt: Prompt;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
}

/** Finds prompts while somebody types: what can be done once is done when the list comes. */
export class PromptSearch {
  readonly #prompts: readonly Prompt[];
  #entries: readonly Entry[] | undefined;

  constructor(prompts: readonly Prompt[]) {
    this.#prompts = prompts;
  }

  /** Better done before the first key than with it. */
  prepare(): readonly Entry[] {
    this.#entries ??= this.#prompts.map(entryOf);
    return this.#entries;
  }

  /** The prompts that have every word of the query, those with it in their name first. `#word` asks for a tag. */
  find(query: string): readonly Prompt[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return this.#prompts;
    // There are few scores and many prompts: to sort into heaps keeps the order of the list, and takes one pass.
    const heaps = new Map<number, Prompt[]>();
    for (const entry of this.prepare()) {
      const score = scoreOf(entry, words);
      if (score === 0) continue;
      const heap = heaps.get(score);
      if (heap) heap.push(entry.prompt);
      else heaps.set(score, [entry.prompt]);
    }
    return [...heaps].sort(([a], [b]) => b - a).flatMap(([, heap]) => heap);
  }
}

function entryOf(prompt: Prompt): Entry {
  return {
    prompt,
    name: prompt.name.toLowerCase(),
    title: prompt.title?.toLowerCase() ?? '',
    description: prompt.description?.toLowerCase() ?? '',
    tags: tagsOf(prompt).map((tag) => `#${tag.toLowerCase()}`),
  };
}

function scoreOf(entry: Entry, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const found = scoreWord(entry, word);
    if (found === 0) return 0;
    score += found;
  }
  return score;
}

function scoreWord({ name, title, description, tags }: Entry, word: string): number {
  if (word.startsWith('#')) return tags.some((tag) => tag.startsWith(word)) ? 5 : 0;
  if (name === word) return 100;
  if (name.startsWith(word)) return 50;
  if (name.includes(word)) return 20;
  if (title.includes(word)) return 15;
  if (tags.includes(`#${word}`)) return 10;
  return description.includes(word) ? 5 : 0;
}
