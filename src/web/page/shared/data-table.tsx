import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly title: string;
  readonly number?: boolean;
  cell(row: Row): ComponentChildren;
}

interface Props<Row> {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  keyOf(row: Row, index: number): string | number;
}

/** A titled table that scrolls horizontally when it is too wide. */
export function DataTable<Row>({ title, rows, columns, keyOf }: Props<Row>) {
  const align = ({ number }: Column<Row>) => (number ? 'number' : '');
  return (
    <section>
      <h2>{title}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.title} class={align(column)}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={keyOf(row, index)}>
                {columns.map((column) => (
                  <td key={column.title} class={align(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p class="quiet">None</p>}
      </div>
    </section>
  );
}
