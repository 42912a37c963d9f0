import type { Context } from '../../context.ts';
import type { Tool } from '../../tool.ts';
import type { AssistantData } from '../entities/entity-access.ts';
import { ruleView, userView } from '../entities/view.ts';

/** The tools that change people and rules, and where to find what they change. */
const subjects: Readonly<Record<string, { readonly table: 'users' | 'rules'; readonly id?: string }>> = {
  create_user: { table: 'users' },
  update_user: { table: 'users', id: 'user_id' },
  delete_user: { table: 'users', id: 'user_id' },
  set_rule: { table: 'rules', id: 'rule_id' },
  delete_rule: { table: 'rules', id: 'rule_id' },
};

/** Adds the state before and after to the result of a tool that changes a person or a rule, for the security log. */
export function recordChange<One extends Tool>(tool: One, { store }: AssistantData): One {
  const subject = Object.hasOwn(subjects, tool.name) ? subjects[tool.name]! : undefined;
  if (subject === undefined) return tool;
  const { table, id: argument } = subject;
  const call = async (args: never, context: Context) => {
    const id = argument === undefined ? undefined : (args as Readonly<Record<string, unknown>>)[argument];
    const before = id === undefined ? undefined : await store.read((db) => find(db, table, String(id)));
    const result = await tool.call(args, context);
    const after = tool.name.startsWith('delete') ? undefined : result.structured;
    return { ...result, change: { before, after } };
  };
  return { ...tool, call };
}

async function find(
  db: Parameters<Parameters<AssistantData['store']['read']>[0]>[0],
  table: 'users' | 'rules',
  id: string,
) {
  if (table === 'users') {
    const user = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
    return user && userView(user);
  }
  const rule = await db.selectFrom('rules').selectAll().where('id', '=', id).executeTakeFirst();
  return rule && ruleView(rule);
}
