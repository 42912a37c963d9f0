import type { Problem } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { TemplateSet } from '../definition/source.ts';
import type { Position } from '../template/position.ts';

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
