import { useState } from 'preact/hooks';
import type { ToolAnswer } from '../../../api.ts';
import { DataTable } from '../shared/data-table.tsx';

export function SettingsTable({ settings }: Pick<ToolAnswer<'server_status'>, 'settings'>) {
  const [showAll, setShowAll] = useState(false);
  const [query, setQuery] = useState('');
  const changed = settings.filter(({ origin }) => origin !== 'default');
  const words = query.toLowerCase().split(/\s+/);
  const found = (showAll || query !== '' ? settings : changed).filter(({ name, description }) =>
    words.every((word) => `${name} ${description}`.toLowerCase().includes(word)),
  );
  return (
    <>
      <p class="buttons">
        <input
          type="search"
          class="narrow"
          aria-label="Search settings"
          placeholder="Search settings"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <button type="button" aria-expanded={showAll} onClick={() => setShowAll(!showAll)}>
          {showAll ? 'Show changed settings only' : `Show all ${settings.length} settings`}
        </button>
      </p>
      <DataTable
        title="Settings"
        rows={found}
        keyOf={({ name }) => name}
        columns={[
          {
            title: 'Setting',
            cell: ({ name, description }) => (
              <>
                <code>{name}</code>
                <div class="quiet hint">{description}</div>
              </>
            ),
          },
          { title: 'Value', cell: ({ value }) => <code>{formatValue(value)}</code> },
          { title: 'Source', cell: ({ origin }) => origin },
        ]}
      />
      <p class="quiet hint">
        Change settings in the configuration file, with variables or with flags, and start the server again.
      </p>
    </>
  );
}

export function formatValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
