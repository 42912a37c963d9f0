export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Where it comes from; what the server itself brings has no source. */
export function sourceOf(prompt: Prompt): string {
  return String(prompt._meta?.['adjutant/source'] ?? 'server');
}

export function tagsOf(prompt: Prompt): readonly string[] {
  const tags = prompt._meta?.['adjutant/tags'];
  return Array.isArray(tags) ? tags.map(String) : [];
}
