import type { Problem } from '../../feature.ts';
import type { Terminal } from './command.ts';
import { paint } from './table.ts';

const colours = { error: 31, warning: 33 } as const;

/** `file:line:column: severity: message`, as compilers write it. */
export function problemLine({ file, line, column, severity, message }: Problem, terminal?: Terminal): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const word = terminal === undefined ? severity : paint(terminal, colours[severity], severity);
  return `${place}: ${word}: ${message}\n`;
}
