import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { areLong, runInThread } from '../files/work-thread.ts';
import { TemplateError } from '../jinja/template-error.ts';
import { type LintTarget, problemAt } from './finding.ts';

export function isLong({ messages }: PromptDefinition): boolean {
  return areLong(messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : [])));
}

/** A target whose templates were compiled already, so that it can be sent to a thread. */
export interface CopiedTarget extends Omit<LintTarget, 'templates'> {
  readonly templates?: { readonly names: readonly string[]; readonly sources: ReadonlyMap<string, string> };
  readonly error?: Pick<TemplateError, 'template' | 'message' | 'line' | 'column'>;
}

export async function lintInThread({ templates, ...target }: LintTarget): Promise<readonly Problem[]> {
  try {
    return (await runInThread('check', { ...target, ...(await copied(templates)) })) as readonly Problem[];
  } catch (error) {
    const message = `the prompt could not be checked: ${messageOf(error)}`;
    return [
      {
        ...problemAt(target.definition, { severity: 'warning', message }),
        prompts: [target.definition.name],
      },
    ];
  }
}

async function copied(
  templates: LintTarget['templates'],
): Promise<Pick<CopiedTarget, 'templates' | 'error'>> {
  try {
    const set = await templates?.();
    return set === undefined ? {} : { templates: { names: set.names, sources: set.sources } };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { template, message, line, column } = error;
    return { error: { template, message, line, column } };
  }
}
