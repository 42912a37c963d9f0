import { CheckField, FolderField, SelectField, TextArea, TextField } from '../controls/fields.tsx';
import { PageHead } from '../controls/page-head.tsx';
import { useAgents } from '../runs/run-start.tsx';
import { ActionForm, useActions } from '../shared/actions.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { goTo, pathTo } from '../shared/route.ts';
import { useTool } from '../shared/server-connection.tsx';

const sandboxes = {
  'read-only': 'Only read files',
  'workspace-write': 'Change files in the working folder',
} as const;

/** The form for a new routine. */
export function RoutineForm() {
  const { client, invalidate } = useActions();
  const agents = useAgents();
  const { value: listed } = useTool('list_runs', { limit: 100 });
  const folders = [...new Set(listed?.runs.map(({ cwd }) => cwd))].slice(0, 20);
  const draft = useDraft('routine', '', () => ({
    ...{ name: '', task: '', cwd: '', when: '', agent: '', notify: 'me' },
    ...{ sandbox: 'read-only' as keyof typeof sandboxes, asks: false },
  }));
  const { fields, field } = draft;
  const create = async () => {
    const { agent, notify, asks, ...needed } = fields;
    const { routine, warnings, webhook } = await client.tool('create_routine', {
      ...needed,
      ...(agent && { agent }),
      ...(notify && { notify }),
      ...(asks && { asks }),
    });
    invalidate('resources');
    goTo(pathTo('routines', routine.id));
    const secret =
      webhook &&
      `Its address is ${webhook.url ?? webhook.path}, and its secret, shown only now, ${webhook.secret}.`;
    return { text: [`Created ${routine.name}.`, secret, ...warnings].filter(Boolean).join(' ') };
  };
  return (
    <>
      <PageHead title="New routine" path={[['Routines', pathTo('routines')]]} />
      <div class="page-body">
        <ActionForm
          tool="create_routine"
          action="Create routine"
          doing="Creating…"
          draft={draft}
          submit={create}
        >
          <TextField label="Name" required maxLength={80} placeholder="Morning brief" {...field('name')} />
          <TextArea
            label="Task"
            rows={5}
            required
            placeholder="Describe the task. Start with :name to use a saved prompt."
            {...field('task')}
          />
          <TextField
            label="When"
            required
            placeholder="every weekday at 07:00"
            hint="A time, every weekday at 07:00, RRULE:…, cron:…, or webhook."
            {...field('when')}
          />
          <FolderField known={folders} hint="A folder on the server's machine." {...field('cwd')} />
          <div class="fields">
            <SelectField label="Sandbox" options={sandboxes} {...field('sandbox')} />
            <SelectField label="Agent" options={agents} {...field('agent')} />
          </div>
          <CheckField
            label="The agent may ask for permission"
            title="Its requests go to you and the approvers. An agent that only reads asks for nothing."
            checked={fields.asks}
            change={(asks) => draft.set({ asks })}
          />
          <TextField label="Tell" hint="Who gets the result: me, a person, or nobody." {...field('notify')} />
        </ActionForm>
      </div>
    </>
  );
}
