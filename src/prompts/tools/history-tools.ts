import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { nextPage, pageArguments, pageOf } from '../../paging.ts';
import { readRegularFileSync } from '../../regular-file.ts';
import { anyObject, defineTool, hints } from '../../tool.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Editor } from '../catalog/editor.ts';
import { ifFound } from '../definition/source.ts';
import { flatten } from '../rendering/rendering.ts';
import { commitsOf, fileAtCommit, type OpenRepository } from '../versions/git-history.ts';
import type { Versions } from '../versions/versions.ts';
import { authorOf } from './editing-tools.ts';
import { argumentsSchema, knownNameSchema, storedMessageSchema } from './prompt-schemas.ts';

const clientSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, version: { type: 'string' } },
} as const;

const promptRecord = {
  type: 'object',
  required: ['name', 'title', 'messages'],
  properties: {
    name: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    arguments: argumentsSchema,
    messages: { type: 'array', items: storedMessageSchema },
    tags: { type: 'array', items: { type: 'string' } },
  },
} as const;

const labelMoveSchema = {
  type: 'object',
  required: ['label', 'action', 'revision', 'time', 'client'],
  properties: {
    label: { type: 'string' },
    action: { enum: ['set', 'remove'] },
    revision: { type: 'string' },
    time: { type: 'string' },
    client: clientSchema,
    follow: { type: 'boolean' },
  },
} as const;

interface HistoryParts {
  readonly editor: Editor;
  readonly versions: Versions;
  readonly openRepository?: OpenRepository | undefined;
}

export function createHistoryTool({ editor, versions, openRepository }: HistoryParts) {
  return defineTool({
    name: 'prompt_history',
    toolsets: ['prompt_editing'],
    scope: 'read',
    title: 'Prompt history',
    description:
      'Lists the versions of a prompt, also of a deleted one, oldest first: contents, git commits if it is in a file, and moves of labels. Compares with one of them.',
    searchHint: 'versions revisions undo diff commits labels',
    phrases:
      'history versions revisions edited changed altered by author when earlier deleted prompt log past previous older drafts evolution over time last month look used to be before timeline differences compare what did template text saved wording was',
    inputSchema: {
      type: 'object',
      required: ['name'],
      properties: {
        name: knownNameSchema,
        compare: {
          type: 'string',
          minLength: 1,
          description: 'Revision, label or commit',
        },
        ...pageArguments,
      },
    },
    outputSchema: {
      type: 'object',
      required: ['name', 'revisions', 'labels', 'commits'],
      properties: {
        name: { type: 'string' },
        ...nextPage,
        diff: { type: 'string', description: 'Unified diff from the compared version to the current one' },
        labels: { type: 'array', items: labelMoveSchema },
        commits: {
          type: 'array',
          items: {
            type: 'object',
            required: ['commit', 'time', 'author', 'subject'],
            properties: {
              commit: { type: 'string' },
              time: { type: 'string' },
              author: { type: 'string' },
              subject: { type: 'string' },
            },
          },
        },
        revisions: {
          type: 'array',
          items: {
            type: 'object',
            required: ['revision', 'action', 'time', 'client'],
            properties: {
              revision: { type: 'integer' },
              action: { enum: ['create', 'update', 'delete', 'restore', 'outside'] },
              time: { type: 'string' },
              client: clientSchema,
              prompt: anyObject(promptRecord),
              restored: { type: 'integer' },
            },
          },
        },
      },
    },
    annotations: hints.reads,
    async call({ name: asked, compare, ...page }) {
      const name = await versions.fullName(asked);
      const head = await versions.head(name);
      const edited = await editor.history(name).catch((error: unknown) => {
        if (head === undefined) throw error;
        return [];
      });
      const { items: revisions, next } = pageOf(edited, (revision) => revision, page);
      const labels = (await versions.history(name)).map(({ prompt: _, snapshot: __, ...move }) => move);
      const isFile = head !== undefined && edited.length === 0;
      const commits = isFile ? await commitsOf(head.definition.file, openRepository) : [];
      const diff = compare === undefined ? undefined : await compareWith(name, compare, head);
      return {
        structured: { name, revisions, labels, commits, ...(diff !== undefined && { diff }), ...next },
      };
    },
  });

  async function compareWith(name: string, wanted: string, head: CatalogEntry | undefined): Promise<string> {
    const { textDifference } = await import('../versions/text-difference.ts');
    const patch = (before: string, now: string) => textDifference(`${name}@${wanted}`, name, before, now);
    const known = await ifFound(versions.version(name, wanted));
    if (known !== undefined) return patch(storedText(known), head === undefined ? '' : storedText(head));
    if (head === undefined)
      throw new Failure('prompt-not-found', `There is no revision or label ${wanted} of ${name}`);
    const before = await fileAtCommit(head.definition.file, wanted, openRepository);
    return patch(before.replace(/\n$/, ''), readRegularFileSync(head.definition.file).replace(/\n$/, ''));
  }
}

function storedText({ definition }: CatalogEntry): string {
  return flatten(definition.messages);
}

export function createLabelTool(versions: Versions) {
  return defineTool({
    name: 'label_prompt',
    toolsets: ['prompt_editing'],
    scope: 'prompts:write',
    title: 'Label prompt',
    description:
      'Points a label such as production at a revision of a prompt, so that name@label keeps returning it.',
    searchHint: 'version tag release production staging pin',
    phrases:
      'version tag release production staging pin protect publish approve prompt label mark official live stable lock freeze point name revision sign off good final go ship promote stamp designate template everybody should use',
    inputSchema: {
      type: 'object',
      required: ['name', 'label'],
      properties: {
        name: knownNameSchema,
        label: { type: 'string', minLength: 1, description: 'E.g. production' },
        revision: {
          type: 'string',
          minLength: 1,
          description: 'Revision or label. Default: current',
        },
        follow: { type: 'boolean', description: 'Move it to every new revision' },
        remove: { type: 'boolean', description: 'Remove the label instead' },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['name', 'label', 'revision', 'message'],
      properties: {
        name: { type: 'string' },
        label: { type: 'string' },
        revision: { type: 'string' },
        message: { type: 'string' },
      },
    },
    annotations: hints.replaces,
    async call(given, context) {
      const move = { ...given, name: await versions.fullName(given.name) };
      const { name, label, remove } = move;
      if (versions.isProtected(label)) await confirmMove(name, label, context);
      const { revision } = await versions.move(move, authorOf(context));
      const message = remove
        ? `Removed ${label} from ${name}`
        : `${name}@${label} is revision ${revision} now`;
      return { structured: { name, label, revision, message } };
    },
  });
}

/** Only a person may move a protected label. */
async function confirmMove(name: string, label: string, context: Context): Promise<void> {
  const refusal = `The label ${label} is protected, so only a person can move it: adjutant prompts label ${name} ${label} --force`;
  if (!context.can('elicitation')) throw new Failure('refused', refusal);
  const { confirmation } = await context.ask({
    confirmation: {
      method: 'elicitation/create',
      params: {
        message: `Move the protected label ${label} of the prompt ${name}?`,
        requestedSchema: {
          type: 'object',
          properties: { move: { type: 'boolean', title: `Move ${label}` } },
          required: ['move'],
        },
      },
    },
  });
  const content = confirmation?.['content'] as { move?: unknown } | undefined;
  if (confirmation?.['action'] !== 'accept' || content?.move !== true) throw new Failure('refused', refusal);
}

export function createDeletedTool(editor: Editor) {
  return defineTool({
    name: 'list_deleted_prompts',
    toolsets: ['prompt_editing'],
    scope: 'prompts:write',
    title: 'List deleted prompts',
    description: "Lists the user's deleted prompts, the latest first. restore_prompt brings one back.",
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
