import type { Problem } from '../../feature.ts';
import { nearest } from '../../nearest.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { TemplateSet } from '../definition/source.ts';
import type { Position } from '../template/lexer.ts';

/** The templates of a prompt. */
export type Sources = Pick<TemplateSet, 'names' | 'sourceOf' | 'sources'>;

/** A prompt to check. */
export interface LintTarget {
  readonly definition: PromptDefinition;
  /** Compiles the prompt's templates. Throws TemplateError if one of them is invalid. */
  readonly templates?: () => Promise<Sources>;
  /** True if the prompt is translated from another format, so any remaining braces are plain text. */
  readonly translated?: boolean;
  /** Prefix that the source adds to the name, separated by a colon. */
  readonly prefix?: string | undefined;
}

/** A finding in one text of a prompt. The position is relative to that text. */
export interface Finding extends Partial<Position> {
  readonly severity: Problem['severity'];
  readonly message: string;
}

/** Converts a position in a message to a position in its file. In JSONL, the whole text is on one line of the file. */
export function problemAt({ file, line, name }: PromptDefinition, finding: Finding): Problem {
  const { severity, message } = finding;
  if (file.endsWith('.jsonl')) return { file, line, severity, message: `${name}: ${message}` };
  return {
    file,
    line: line + (finding.line ?? 1) - 1,
    ...(finding.column !== undefined && { column: finding.column }),
    severity,
    message,
  };
}

/** A test of a prompt that failed, or that has a mistake. */
export function testProblem({ file, line, name }: PromptDefinition, test: string, reason: string): Problem {
  return {
    ...{ file, line, severity: 'error', rule: 'test-failed', prompts: [name] },
    message: `${test} failed: ${reason}`,
  };
}

/** The number of comparisons between two names that one prompt is worth. */
const maxComparisons = 100_000;

/** The declared names of a prompt. Suggests one for a misspelled name, until the prompt has used up its comparisons. */
export class NameSuggestions {
  readonly #names: ReadonlySet<string>;
  readonly #suggested = new Map<string, string | undefined>();
  #comparisons = 0;

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  nearest(written: string): string | undefined {
    if (this.#suggested.has(written)) return this.#suggested.get(written);
    this.#comparisons += this.#names.size;
    if (this.#comparisons > maxComparisons) return undefined;
    const found = nearest(written, this.#names);
    this.#suggested.set(written, found);
    return found;
  }
}
