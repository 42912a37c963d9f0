import type { Problem } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { TemplateSet } from '../definition/source.ts';
import type { Position } from '../template/position.ts';

/** A prompt to be looked at. */
export interface Subject {
  readonly definition: PromptDefinition;
  /** What its templates may bring in; throws TemplateError where one of them is wrong. */
  readonly templates?: () => Promise<TemplateSet>;
  /** Read from a format of its own: braces that are left in the text are meant as text. */
  readonly translated?: boolean;
  /** What its source puts before the name, with a colon. */
  readonly prefix?: string | undefined;
}

/** Something in one text of a prompt. */
export interface Finding extends Partial<Position> {
  readonly severity: Problem['severity'];
  readonly message: string;
}

/** Where a place in the text of a message is in its file. A line of JSON holds a text of many. */
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
