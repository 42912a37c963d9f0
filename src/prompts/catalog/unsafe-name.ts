import type { Problem } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';

/** Line breaks, control characters and direction overrides, which could forge lines or hide a part of the name. */
export const unsafeName = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

export function unsafeNameProblem({ name, file, line }: PromptDefinition): Problem {
  const shown = JSON.stringify(name).replaceAll(
    new RegExp(unsafeName, 'gu'),
    (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
  const message = `the name ${shown} contains a line break, a control character or a direction override, so the prompt is not served; rename it`;
  return { file, line, severity: 'error', rule: 'unsafe-name', message };
}
