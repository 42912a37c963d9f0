import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { ContentsReply } from '../../../api.ts';
import { MoreButton } from '../shared/buttons.tsx';
import { useLoaded } from '../shared/server-connection.tsx';
import { visibleText } from '../shared/visible-text.ts';
import { type FilePatch, type Hunk, omittedFiles, type PatchLine, parsePatch } from './patch.ts';

/** Longer files are truncated. */
const maxBytes = 2_000_000;

interface Props {
  readonly runId: string;
  readonly name: string;
  /** Shown below the changes of each file of a patch. */
  readonly file?: (path: string) => ComponentChildren;
}

/** Shows a file of a run. Patches are shown as a diff. */
export function RunArtifact({ runId, name, file }: Props) {
  const { text, error } = useArtifact(runId, name);
  if (error !== undefined) return <p class="problem">{error}</p>;
  if (text === undefined) return <p class="quiet">Loading…</p>;
  const isTruncated = new Blob([text]).size > maxBytes - 4;
  return (
    <>
      {isTruncated && <p class="quiet">Only the beginning is shown. The full file is in the run folder.</p>}
      {/\.(patch|diff)$/.test(name) ? (
        <PatchView text={text} {...(file && { footer: file })} />
      ) : (
        <pre class="template artifact" tabIndex={0}>
          {formatText(name, text)}
        </pre>
      )}
    </>
  );
}

function useArtifact(
  runId: string,
  name: string,
): { readonly text: string | undefined; readonly error: string | undefined } {
  const uri = `runs://${runId}/${name.split('/').map(encodeURIComponent).join('/')}`;
  const { value, error } = useLoaded<ContentsReply>(
    (client, signal) => client.request('resources/read', { uri, limit: maxBytes }, { signal }),
    [uri],
  );
  return { text: value && textOf(value), error: error?.message };
}

function textOf({ contents: [first] }: ContentsReply): string {
  return first !== undefined && 'text' in first ? first.text : '';
}

function formatText(name: string, text: string): string {
  if (text.trim() === '') return 'This file is empty.';
  if (!name.endsWith('.json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Files are expanded until this many lines are visible. */
const expandedLines = 300;
/** Files and lines that each click on "Show more" adds. */
const filesPerPage = 100;
const linesPerPage = 500;

interface PatchViewProps {
  readonly text: string;
  /** Shown below the changes of each file. */
  readonly footer?: (path: string) => ComponentChildren;
}

/** The changes of a run, file by file. */
function PatchView({ text, footer }: PatchViewProps) {
  const files = useMemo(() => parsePatch(text), [text]);
  const [visible, setVisible] = useState(filesPerPage);
  if (files.length === 0) return <p class="quiet">No files changed.</p>;
  const [added, removed] = [sum(files, 'added'), sum(files, 'removed')];
  let lines = 0;
  return (
    <div class="patch">
      <p class="quiet">
        {files.length} file{files.length === 1 ? '' : 's'}, <Counts added={added} removed={removed} />
      </p>
      {files.slice(0, visible).map((file, index) => {
        lines += file.hunks.reduce((total, hunk) => total + hunk.lines.length, 0);
        return (
          <FileChanges key={index} file={file} open={lines <= expandedLines}>
            {footer?.(file.path)}
          </FileChanges>
        );
      })}
      <MoreButton shown={visible} all={files.length} step={filesPerPage} what="files" show={setVisible} />
      {omittedFiles(text) && <p class="quiet">{omittedFiles(text)}</p>}
    </div>
  );
}

function sum(files: readonly FilePatch[], key: 'added' | 'removed'): number {
  return files.reduce((total, file) => total + file[key], 0);
}

function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="patch-counts">
      <span class="added">+{added}</span> <span class="removed">−{removed}</span>
      <span class="hidden"> lines</span>
    </span>
  );
}

interface FileProps {
  readonly file: FilePatch;
  readonly open: boolean;
  readonly children: ComponentChildren;
}

function FileChanges({ file, open, children }: FileProps) {
  // Lines of collapsed files are not rendered, because a patch may be long.
  const [expanded, setExpanded] = useState(open);
  const { path, from, change, binary, added, removed, notes } = file;
  return (
    <details open={open} onToggle={(event) => setExpanded(event.currentTarget.open)}>
      <summary>
        <code>
          {from !== undefined && `${visibleText(from)} → `}
          {visibleText(path)}
        </code>
        {change !== 'changed' && <span class={`badge change-${change}`}>{change}</span>}
        {binary ? <span class="badge">binary</span> : <Counts added={added} removed={removed} />}
      </summary>
      {expanded && (
        <>
          {notes.map((note) => (
            <p key={note} class="quiet patch-note">
              {note}
            </p>
          ))}
          {binary && <p class="quiet patch-note">Binary content is not shown.</p>}
          {file.hunks.length > 0 && <Lines hunks={file.hunks} name={path} />}
          {children}
        </>
      )}
    </details>
  );
}

const marks = { same: ' ', added: '+', removed: '−', note: ' ' } as const;

function Lines({ hunks, name }: { hunks: readonly Hunk[]; name: string }) {
  const [visible, setVisible] = useState(linesPerPage);
  const rows = useMemo(
    () => hunks.flatMap((hunk): readonly (PatchLine | string)[] => [hunk.heading, ...hunk.lines]),
    [hunks],
  );
  return (
    <>
      <div class="patch-lines" role="region" aria-label={`Changes in ${name}`} tabIndex={0}>
        <table>
          <tbody>
            {rows.slice(0, visible).map((row, index) =>
              typeof row === 'string' ? (
                <tr key={index} class="heading">
                  <td colSpan={4}>{row}</td>
                </tr>
              ) : (
                <tr key={index} class={row.kind}>
                  <td class="line-number">{row.before}</td>
                  <td class="line-number">{row.after}</td>
                  <td class="line-mark">{marks[row.kind]}</td>
                  <td class="line-text">{visibleText(row.text)}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </div>
      <MoreButton shown={visible} all={rows.length} step={linesPerPage} what="lines" show={setVisible} />
    </>
  );
}
