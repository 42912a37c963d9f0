import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button, CheckField } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { MoreButton } from '../shared/buttons.tsx';
import type { CodePart, DiffLine } from '../shared/diff-line.ts';
import { Counts, DiffTable } from '../shared/diff-table.tsx';
import { visibleText } from '../shared/visible-text.ts';
import { type FilePatch, type Hunk, omittedFiles } from './patch.ts';

/** Files are expanded until this many lines are visible. */
const expandedLines = 300;
/** Files and lines that each click on "Show more" adds. */
const filesPerPage = 100;
const linesPerPage = 500;
/** Longer changes of a file are shown without colours. */
const maxColouredLines = 5000;

/** What a person can do with the files and lines of a patch. */
export interface Review {
  readonly viewed: ReadonlySet<string>;
  view(path: string): void;
  /** What follows the name of a file. */
  actions(path: string): ComponentChildren;
  /** What stands above the lines of a file, such as a conflict. */
  notice(path: string): ComponentChildren;
  /** The comments of a file by their line. A comment on the whole file has no line. */
  comments(path: string): ReadonlyMap<string, ComponentChildren>;
  /** Absent if nobody can answer comments. */
  comment?(path: string, line: string): void;
}

interface Props {
  readonly files: readonly FilePatch[];
  readonly text: string;
  readonly review?: Review;
}

/** The changes of a run, file by file. */
export function PatchView({ files, text, review }: Props) {
  const [visible, setVisible] = useState(filesPerPage);
  if (files.length === 0) return <p class="quiet">No files changed.</p>;
  let lines = 0;
  return (
    <div class="patch">
      {!review && (
        <p class="quiet">
          {files.length} file{files.length === 1 ? '' : 's'},{' '}
          <Counts added={sum(files, 'added')} removed={sum(files, 'removed')} />
        </p>
      )}
      {files.slice(0, visible).map((file, index) => {
        lines += file.hunks.reduce((total, hunk) => total + hunk.lines.length, 0);
        const isOpen = lines <= expandedLines && !review?.viewed.has(file.path);
        return <FileChanges key={index} {...{ file, review, isOpen }} />;
      })}
      <MoreButton shown={visible} all={files.length} step={filesPerPage} what="files" show={setVisible} />
      {omittedFiles(text) && <p class="quiet">{omittedFiles(text)}</p>}
    </div>
  );
}

function sum(files: readonly FilePatch[], key: 'added' | 'removed'): number {
  return files.reduce((total, file) => total + file[key], 0);
}

interface FileProps {
  readonly file: FilePatch;
  readonly review: Review | undefined;
  readonly isOpen: boolean;
}

function FileChanges({ file, review, isOpen }: FileProps) {
  // Lines of collapsed files are not rendered, because a patch may be long.
  const [expanded, setExpanded] = useState(isOpen);
  // A file that has been viewed folds, as in every review.
  useEffect(() => setExpanded(isOpen), [isOpen]);
  const { path, from, change, binary, added, removed, notes } = file;
  const comments = review?.comments(path);
  return (
    <div class="patch-file" data-file={path}>
      <details class="step-card" open={expanded} onToggle={(event) => setExpanded(event.currentTarget.open)}>
        <summary class="row step-head">
          <Icon class="icon chevron" name="right" />
          <code>
            {from !== undefined && `${visibleText(from)} → `}
            {visibleText(path)}
          </code>
          {change !== 'changed' && <span class={`badge change-${change}`}>{change}</span>}
          {binary ? <span class="badge">binary</span> : <Counts added={added} removed={removed} />}
        </summary>
        {expanded && (
          <>
            {review?.notice(path)}
            {comments?.get('')}
            {notes.map((note) => (
              <p key={note} class="quiet patch-note">
                {note}
              </p>
            ))}
            {binary && <p class="quiet patch-note">Binary content is not shown.</p>}
            {file.hunks.length > 0 && <FileLines {...{ file, comments }} comment={review?.comment} />}
          </>
        )}
      </details>
      {/* Outside of the summary, which is a control itself. */}
      {review && (
        <div class="file-actions">
          <CheckField
            label={
              <>
                Viewed<span class="hidden"> {path}</span>
              </>
            }
            checked={review.viewed.has(path)}
            change={() => review.view(path)}
          />
          {review.actions(path)}
        </div>
      )}
    </div>
  );
}

interface LinesProps {
  readonly file: Pick<FilePatch, 'path' | 'hunks'>;
  readonly comments?: ReadonlyMap<string, ComponentChildren> | undefined;
  readonly comment?: Review['comment'];
}

/** The lines of a file, page by page. */
export function FileLines({ file: { hunks, path }, comments, comment }: LinesProps) {
  const [visible, setVisible] = useState(linesPerPage);
  const colours = useColours(path, hunks);
  const rows = useMemo(
    () =>
      hunks.flatMap((hunk): readonly (DiffLine | string)[] => [
        ...(hunk.heading === '' ? [] : [hunk.heading]),
        ...hunk.lines,
      ]),
    [hunks],
  );
  /** The arrow keys go from the button of a line to that of the next. */
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || !comment || (event.target as Element).closest('textarea')) return;
    const all = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>('.line-comment')];
    const at = all.indexOf(document.activeElement as HTMLElement);
    all[at === -1 ? 0 : at + step]?.focus();
    event.preventDefault();
  };
  return (
    <>
      <DiffTable
        label={`Changes in ${path}`}
        rows={rows.slice(0, visible)}
        colours={(line) => colours?.get(line)}
        beside={(line) =>
          comment &&
          line.kind !== 'note' && (
            <Button
              class="line-comment"
              tabIndex={-1}
              aria-label={`Comment on line ${lineOf(line).replace('-', 'removed ')}`}
              onClick={() => comment(path, lineOf(line))}
            >
              <Icon name="plus" />
            </Button>
          )
        }
        below={(line) => line.kind !== 'note' && comments?.get(lineOf(line))}
        onKeyDown={onKeyDown}
      />
      <MoreButton shown={visible} all={rows.length} step={linesPerPage} what="lines" show={setVisible} />
    </>
  );
}

/** How comments name a line: by its number in the new file, or in the old one after a minus sign. */
function lineOf({ before, after }: DiffLine): string {
  return after === undefined ? `-${before}` : String(after);
}

/** The colours of the lines, as soon as the language of the file is loaded. */
function useColours(path: string, hunks: readonly Hunk[]) {
  const [colours, setColours] = useState<ReadonlyMap<DiffLine, readonly CodePart[]> | undefined>();
  useEffect(() => {
    let isShown = true;
    const lines = hunks.flatMap((hunk) => hunk.lines);
    if (lines.length > maxColouredLines) return;
    const load = async () => {
      const { loadColours } = await import('./code-colours.ts');
      const colour = await loadColours(path);
      if (!colour || !isShown) return;
      const found = new Map<DiffLine, readonly CodePart[]>();
      // The old and the new text of each piece are read on their own.
      for (const hunk of hunks)
        for (const side of ['removed', 'added'] as const) {
          const own = hunk.lines.filter(({ kind }) => kind === side || kind === 'same');
          const parts = colour(own.map(({ text }) => text));
          for (const [at, line] of own.entries()) found.set(line, parts[at]!);
        }
      setColours(found);
    };
    // Without colours, the text is still there.
    load().catch(() => {});
    return () => {
      isShown = false;
    };
  }, [path, hunks]);
  return colours;
}
