import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button, focusFirst, Problem, TextArea } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { Loading } from '../controls/loading.tsx';
import { Menu } from '../controls/menu.tsx';
import { useStoredNames } from '../controls/stored-names.ts';
import { counted } from '../controls/words.ts';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { Counts } from '../shared/diff-table.tsx';
import { DraftMark, useDraft } from '../shared/drafts.tsx';
import { useAddressed } from '../shared/route.ts';
import { useConnection, useTool } from '../shared/server-connection.tsx';
import { visibleText } from '../shared/visible-text.ts';
import { treeOf } from './file-tree.ts';
import { type FilePatch, parsePatch } from './patch.ts';
import { PatchView, type Review } from './patch-view.tsx';
import { TruncationNote, useArtifact } from './run-artifact.tsx';
import { useLaunch } from './run-launch.ts';
import { isOpen, type RunOverview } from './run-record.ts';

/** The comment on the whole change has this key; that on a file its path, and that on a line the path and the line. */
const overall = '';
const keyOf = (path: string, line: string) => (line === '' ? path : `${path}:${line}`);

/** What was found when a file was applied. */
interface Trouble {
  readonly kind: 'conflict' | 'marked';
  readonly reason: string;
}

interface Props {
  readonly overview: RunOverview;
}

/** The changes of a run as a review: files, marks for what was viewed, comments that become the next task, apply and undo. */
export function RunReview({ overview }: Props) {
  const { run_id } = overview;
  const { text, error } = useArtifact(run_id, 'changes.patch');
  const files = useMemo(() => (text === undefined ? [] : parsePatch(text)), [text]);
  if (error !== undefined) return <p class="problem">{error}</p>;
  if (text === undefined) return <Loading />;
  return <ReviewOf {...{ overview, files, text }} />;
}

function ReviewOf({ overview, files, text }: Props & { files: readonly FilePatch[]; text: string }) {
  const { run_id, cwd, status, subagent_thread_id: thread } = overview;
  const draft = useDraft<Readonly<Record<string, string | undefined>>>('review', run_id, () => ({}));
  const { busy, problem, attempt, launch } = useLaunch();
  const { changes } = useConnection();
  const { value: diff } = useTool('diff_run', { run_id }, status, changes.resources);
  const [viewed, view] = useStoredNames(`adjutant-viewed:${run_id}`);
  const [opened, setOpened] = useState<readonly string[]>([]);
  const [troubles, setTroubles] = useState<ReadonlyMap<string, Trouble>>(new Map());
  const [wanted, setWanted] = useAddressed('file', '', { typed: true });
  const ended = !isOpen(status);
  // A conversation can be continued only on the machine that has it.
  const canComment = ended && Boolean(thread) && overview.host === undefined;
  const canApply = ended && (diff?.state === 'waiting' || diff?.state === 'undone');
  const change = useChanges(run_id, setTroubles);
  useEffect(() => showFile(wanted), [wanted, text]);
  const comments = Object.entries(draft.fields).flatMap(([key, comment = '']) =>
    comment.trim() === '' ? [] : [[key, comment] as const],
  );
  const send = () =>
    attempt(() => launch('delegate_resume', { thread_id: thread!, cwd, task: taskOf(comments) })).then(
      (done) => done && draft.clear(),
    );
  // An empty comment is none, so the form is as it was before.
  const setComment = (key: string, comment: string) => draft.set({ [key]: comment || undefined });
  const close = (key: string) => {
    setOpened((now) => now.filter((one) => one !== key));
    setComment(key, '');
  };
  const open = (path: string, line: string) => setOpened((now) => [...now, keyOf(path, line)]);
  const review: Review = {
    ...{ viewed, view },
    ...(canComment && { comment: open }),
    comments: (path) => {
      const keys = [...new Set([...Object.keys(draft.fields), ...opened])];
      const own = keys.filter(
        (key) =>
          (key === path || key.startsWith(`${path}:`)) && (opened.includes(key) || draft.fields[key]?.trim()),
      );
      return new Map(
        own.map((key) => {
          const line = key.slice(path.length + 1);
          return [
            line,
            <Comment
              key={key}
              {...{ path, line }}
              isNew={opened.includes(key) && !draft.fields[key]}
              text={draft.fields[key] ?? ''}
              change={(comment) => setComment(key, comment)}
              remove={() => close(key)}
            />,
          ] as const;
        }),
      );
    },
    notice: (path) => {
      const trouble = troubles.get(path);
      return trouble && <Sides {...{ path, trouble, change }} />;
    },
    actions: (path) => (
      <Menu label={`More about ${path}`}>
        {canComment && <Button onClick={() => open(path, '')}>Comment on this file</Button>}
        {canApply && (
          <>
            <ChangeButton tool="apply_run" onClick={() => change('apply_run', 'was applied', { path })}>
              Apply this file
            </ChangeButton>
            <BothSides {...{ path, change }} />
          </>
        )}
        {ended && !canApply && (
          <ChangeButton tool="undo_run" onClick={() => change('undo_run', 'was reverted', { path })}>
            Revert this file
          </ChangeButton>
        )}
        {ended && diff?.state === 'applied' && (
          <ChangeButton tool="apply_run" onClick={() => change('apply_run', 'was applied', { path })}>
            Apply this file again
          </ChangeButton>
        )}
      </Menu>
    ),
  };
  const count = counted(files.length, 'file');
  return (
    <div class="run-review" data-form={draft.form}>
      <Tree {...{ files, viewed, view, comments, wanted }} choose={setWanted} />
      <div class="review-files">
        <TruncationNote text={text} />
        <PatchView {...{ files, text, review }} />
        {canComment && (
          <TextArea
            label="Comment for the agent"
            rows={2}
            placeholder="On the change as a whole"
            value={draft.fields[overall] ?? ''}
            change={(comment) => setComment(overall, comment)}
          />
        )}
        <Problem text={problem} />
        <div class="buttons apply-bar">
          <span class="grow">
            <b>{count}</b> <span class="quiet">{stateTexts[diff?.state ?? 'none']}</span>
          </span>
          <DraftMark draft={draft} />
          {comments.length > 0 && canComment && (
            <ChangeButton
              class={diff?.state === 'waiting' ? '' : 'primary'}
              tool="delegate_resume"
              disabled={busy}
              onClick={send}
            >
              Send {counted(comments.length, 'comment')} as the next task
            </ChangeButton>
          )}
          {ended && diff?.state === 'applied' && (
            <ChangeButton tool="undo_run" onClick={() => change('undo_run', 'were reverted')}>
              <Icon name="undo" />
              Undo
            </ChangeButton>
          )}
          {canApply && (
            <ChangeButton
              class="primary"
              tool="apply_run"
              onClick={() => change('apply_run', 'were applied')}
            >
              Apply {count}
            </ChangeButton>
          )}
        </div>
      </div>
    </div>
  );
}

const stateTexts = {
  none: '',
  waiting: 'wait to be applied · can be undone',
  branch: 'on a branch of their own',
  applied: 'applied',
  undone: 'reverted',
} as const;

/** The task that comments make: what each is about, and its words. */
function taskOf(comments: readonly (readonly [string, string])[]): string {
  const lines = comments.map(([key, comment]) => `- ${key === overall ? '' : `${key}: `}${comment.trim()}`);
  return `Revise your changes:\n${lines.join('\n')}`;
}

type Change = (
  tool: 'apply_run' | 'undo_run',
  done: string,
  only?: { readonly path: string; readonly take?: 'run' | 'folder' },
) => Promise<boolean>;

/** Applies and reverts files, with undo, and reports the files that need a decision. */
function useChanges(
  run_id: string,
  setTroubles: (update: (now: ReadonlyMap<string, Trouble>) => ReadonlyMap<string, Trouble>) => void,
): Change {
  const { client, invalidate, act } = useActions();
  return (tool, done, { path, take } = { path: '' }) =>
    act(async () => {
      const chosen = { run_id, ...(path && { paths: [path] }) };
      const { files, conflicts, marked = [] } = await client.tool(tool, { ...chosen, ...(take && { take }) });
      invalidate('resources');
      setTroubles((now) => {
        const next = new Map([...now].filter(([one]) => path !== '' && one !== path));
        for (const { path: one, reason } of conflicts) next.set(one, { kind: 'conflict', reason });
        for (const one of marked)
          next.set(one, {
            kind: 'marked',
            reason: 'Both versions are in the file, between conflict markers',
          });
        return next;
      });
      const what = path || counted(files.length, 'file');
      const words = path
        ? done
        : done.replace(files.length === 1 ? 'were' : '', files.length === 1 ? 'was' : '');
      const notes = [
        ...(path && conflicts.length > 0 ? [] : [`${what} ${words}.`]),
        ...conflicts.map(({ path: one, reason }) => `${one} stays as it is: ${reason}.`),
        ...marked.map((one) => `${one} contains conflict markers.`),
      ];
      // Files that were applied before stay.
      const undo = client.undoBy('undo_run', { run_id, paths: [...files] });
      return { text: notes.join(' '), ...(tool === 'apply_run' && files.length > 0 && { undo }) };
    });
}

interface BothSidesProps {
  readonly path: string;
  readonly change: Change;
  readonly class?: string;
}

/** The buttons that decide for one version of a file. */
function BothSides({ path, change, class: look = '' }: BothSidesProps) {
  const take = (side: 'run' | 'folder', done: string) => change('apply_run', done, { path, take: side });
  return (
    <>
      <ChangeButton class={look} tool="apply_run" onClick={() => take('run', 'was applied')}>
        Use the run's version
      </ChangeButton>
      <ChangeButton class={look} tool="apply_run" onClick={() => take('folder', 'is settled')}>
        Keep the folder's version
      </ChangeButton>
    </>
  );
}

interface SidesProps {
  readonly path: string;
  readonly trouble: Trouble;
  readonly change: Change;
}

/** A file that was changed in the folder too, with the decision for one side. */
function Sides({ path, trouble, change }: SidesProps) {
  return (
    <div class="sides" role="status">
      <Icon name="flow" />
      <span class="grow">{trouble.reason}.</span>
      {trouble.kind === 'conflict' ? (
        <BothSides class="small" {...{ path, change }} />
      ) : (
        <ChangeButton
          class="small"
          tool="undo_run"
          onClick={() => change('undo_run', 'was reverted', { path })}
        >
          Revert this file
        </ChangeButton>
      )}
    </div>
  );
}

interface CommentProps {
  readonly path: string;
  readonly line: string;
  readonly text: string;
  readonly isNew: boolean;
  change(text: string): void;
  remove(): void;
}

function Comment({ path, line, text, isNew, change, remove }: CommentProps) {
  const about = line === '' ? path : `line ${line.replace('-', 'removed ')} of ${path}`;
  return (
    <div class="comment">
      <TextArea
        label={<span class="small quiet">Comment on {about}</span>}
        rows={2}
        value={text}
        change={change}
        {...(isNew && { ref: focusFirst })}
      />
      <Button class="plain small" aria-label={`Discard: ${about}`} onClick={remove}>
        Discard
      </Button>
    </div>
  );
}

interface TreeProps {
  readonly files: readonly FilePatch[];
  readonly viewed: ReadonlySet<string>;
  readonly comments: readonly (readonly [string, string])[];
  readonly wanted: string;
  view(path: string): void;
  choose(path: string): void;
}

/** The files as a tree, with what was viewed and where comments are. */
function Tree({ files, viewed, comments, wanted, view, choose }: TreeProps) {
  const rows = useMemo(() => treeOf(files.map(({ path }) => path)), [files]);
  if (files.length === 0) return null;
  const seen = files.filter(({ path }) => viewed.has(path)).length;
  const row = (path: string, label: ComponentChildren) => {
    const file = files.find((one) => one.path === path)!;
    const own = comments.filter(([key]) => key === path || key.startsWith(`${path}:`)).length;
    return (
      <>
        <Button
          class="plain tree-file"
          aria-current={wanted === path ? 'true' : undefined}
          onClick={() => {
            choose(path);
            showFile(path);
          }}
        >
          <Icon name="file" />
          <span class="cut grow">{label}</span>
          {own > 0 && (
            <span class="quiet">
              <Icon name="comment" />
              {own}
              <span class="hidden"> {own === 1 ? 'comment' : 'comments'}</span>
            </span>
          )}
          {file.change === 'added' ? <span class="badge">new</span> : <Counts {...file} />}
        </Button>
        <label class="tree-viewed">
          <input type="checkbox" checked={viewed.has(path)} onChange={() => view(path)} />
          <span class="hidden">{path} was viewed</span>
        </label>
      </>
    );
  };
  return (
    <nav class="tree" aria-label="Files">
      <div class="section-head">
        <h2>Files</h2>
        <span class="grow" />
        <span class="quiet small">
          {seen} of {files.length} viewed
        </span>
      </div>
      <ul>
        {rows.map(({ label, depth, path }) => (
          <li
            key={path ?? `${depth} ${label}`}
            class={`row tree-row ${path !== undefined && viewed.has(path) ? 'viewed' : ''}`}
            style={{ '--deep': depth }}
          >
            {path === undefined ? (
              <span class="row tree-file">
                <Icon name="folder" />
                <span class="cut">{visibleText(label)}</span>
              </span>
            ) : (
              row(path, visibleText(label))
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

function showFile(path: string): void {
  if (path === '') return;
  const found = [...document.querySelectorAll<HTMLElement>('.patch-file')].find(
    ({ dataset }) => dataset['file'] === path,
  );
  found?.querySelector('details')?.setAttribute('open', '');
  found?.scrollIntoView({ block: 'start' });
}
