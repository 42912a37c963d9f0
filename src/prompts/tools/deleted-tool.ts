import { nextPage, pageArguments, pageOf } from '../../paging.ts';
import { defineTool, hints } from '../../tool.ts';
import type { Editor } from '../catalog/editor.ts';
import { clientSchema } from './history-tools.ts';

export function createDeletedTool(editor: Editor) {
  return defineTool({
    name: 'list_deleted_prompts',
    toolsets: ['prompt_editing'],
    scope: 'prompts:write',
    title: 'List deleted prompts',
    description:
      "Lists the user's deleted prompts, the latest first. restore_prompt brings one back with its revision.",
    searchHint: 'trash bin undelete recover',
    phrases:
      'deleted removed prompts trash bin wastebasket recycle undelete recover which were thrown away gone missing lost list saved templates erased discarded',
    inputSchema: { type: 'object', properties: pageArguments },
    outputSchema: {
      type: 'object',
      required: ['prompts', 'total'],
      properties: {
        prompts: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'title', 'time', 'client', 'revision'],
            properties: {
              name: { type: 'string' },
              title: { type: 'string' },
              time: { type: 'string', description: 'When it was deleted' },
              client: clientSchema,
              revision: { type: 'integer', description: 'The last one, for restore_prompt' },
            },
          },
        },
        total: { type: 'integer' },
        ...nextPage,
      },
    },
    annotations: hints.reads,
    async call(page) {
      const deleted = await editor.deleted();
      const { items: prompts, next } = pageOf(
        deleted,
        ({ name, deletion: { time, client }, last: { revision, prompt } }) => ({
          ...{ name, title: prompt?.title ?? name, time, client, revision },
        }),
        page,
      );
      return { structured: { prompts, total: deleted.length, ...next } };
    },
  });
}
