import { type Prompt, tagsOf } from '../prompt-editing/prompt.ts';

interface Entry {
  readonly prompt: Prompt;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
}

/** Searches prompts while the user types. The lower-cased index is built once per list. */
export class PromptSearch {
  readonly #prompts: readonly Prompt[];
  #entries: readonly Entry[] | undefined;

  constructor(prompts: readonly Prompt[]) {
    this.#prompts = prompts;
  }

  /** Builds the index. Call it before the first key press to keep typing responsive. */
  prepare(): readonly Entry[] {
    this.#entries ??= this.#prompts.map(toEntry);
    return this.#entries;
  }

  /** Finds prompts that contain every word of the query; matches in the name come first. `#word` matches a tag. */
  find(query: string): readonly Prompt[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return this.#prompts;
    // Bucket by score: there are few scores and many prompts, and this keeps the list order within a score.
    const buckets = new Map<number, Prompt[]>();
    for (const entry of this.prepare()) {
      const score = scoreEntry(entry, words);
      if (score === 0) continue;
      const bucket = buckets.get(score);
      if (bucket) bucket.push(entry.prompt);
      else buckets.set(score, [entry.prompt]);
    }
    return [...buckets].sort(([a], [b]) => b - a).flatMap(([, bucket]) => bucket);
  }
}

function toEntry(prompt: Prompt): Entry {
  return {
    prompt,
    name: prompt.name.toLowerCase(),
    title: prompt.title?.toLowerCase() ?? '',
    description: prompt.description?.toLowerCase() ?? '',
    tags: tagsOf(prompt).map((tag) => `#${tag.toLowerCase()}`),
  };
}

function scoreEntry(entry: Entry, words: readonly string[]): number {
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
