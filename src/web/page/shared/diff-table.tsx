import type { ComponentChildren } from 'preact';
import type { CodePart, DiffLine } from './diff-line.ts';
import { visibleText } from './visible-text.ts';

interface Props {
  readonly label: string;
  /** The lines of a difference, and the headings between them. */
  readonly rows: readonly (DiffLine | string)[];
  /** The colours of a line, as soon as they are known. */
  colours?(line: DiffLine): readonly CodePart[] | undefined;
  /** What stands beside the sign of a line, and below the line. */
  beside?(line: DiffLine): ComponentChildren;
  below?(line: DiffLine): ComponentChildren;
  onKeyDown?(event: KeyboardEvent): void;
}

const signs = { same: ' ', added: '+', removed: '−', note: ' ' } as const;

/** Lines of a change, in a step, a review, or between two versions of a prompt. */
export function DiffTable({ label, rows, colours, beside, below, onKeyDown }: Props) {
  return (
    <div class="diff" role="region" aria-label={label} tabIndex={0} onKeyDown={onKeyDown}>
      <table>
        <colgroup>
          <col class="line-number" />
          <col class="line-number" />
          <col class="line-mark" />
          <col />
        </colgroup>
        <tbody>
          {rows.map((row, index) => {
            if (typeof row === 'string')
              return (
                <tr key={index} class="heading">
                  <td colSpan={4}>{row}</td>
                </tr>
              );
            const note = below?.(row);
            return (
              <>
                <tr key={index} class={row.kind}>
                  <td class="line-number">{row.before}</td>
                  <td class="line-number">{row.after}</td>
                  <td class="line-mark">
                    {signs[row.kind]}
                    {beside?.(row)}
                  </td>
                  <td class="line-text">
                    {colours?.(row)?.map(({ kind, text }, at) => (
                      <span key={at} class={kind && `c-${kind}`}>
                        {visibleText(text)}
                      </span>
                    )) ?? visibleText(row.text)}
                  </td>
                </tr>
                {note && (
                  <tr class="line-note">
                    <td colSpan={4}>{note}</td>
                  </tr>
                )}
              </>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** How many lines a change adds and removes. */
export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="patch-counts number">
      {(added > 0 || removed === 0) && <span class="added">+{added}</span>}{' '}
      {removed > 0 && <span class="removed">−{removed}</span>}
      <span class="hidden"> lines</span>
    </span>
  );
}
