import { describe, expect, it } from 'vitest';
import { readEntry, withEntry, withoutEntry } from './client-file.ts';
import { clients } from './clients.ts';

const entry = { kind: 'stdio', command: 'adjutant', args: ['serve'] } as const;

const existing = {
  json: `{
  // kept
  "theme": "dark",
  "KEY": {
    "other": { "command": "x", "args": ["a"] }
  }
}
`,
  toml: `# kept
model = "m"

[KEY.other]
command = "x"
args = ["a"] # and this

[profiles.y]
z = 1
`,
};

describe.each(clients.map((client) => [client.id, client] as const))(
  'the configuration of %s',
  (_, client) => {
    const text = existing[client.format].replaceAll('KEY', client.key);

    it('gets our entry and keeps every other line', async () => {
      const after = await withEntry(text, 'file', client, client.entry(entry));
      expect(await readEntry(after, 'file', client)).toMatchObject({ command: 'adjutant', args: ['serve'] });
      for (const line of text.split('\n').filter((one) => /kept|other|and this|z = 1|theme/.test(one))) {
        expect(after).toContain(line.trim().replace(/,$/, ''));
      }
    });

    it('is as it was after our entry is taken out again', async () => {
      expect(
        await withoutEntry(await withEntry(text, 'file', client, client.entry(entry)), 'file', client),
      ).toBe(text);
    });

    it('gets a new entry in place of an old one', async () => {
      const old = await withEntry(text, 'file', client, client.entry({ ...entry, command: 'old' }));
      const after = await withEntry(old, 'file', client, client.entry(entry));
      expect(await readEntry(after, 'file', client)).toMatchObject({ command: 'adjutant' });
      expect(after).not.toContain('"old"');
    });

    it('is made where there is none', async () => {
      const made = await withEntry(
        '',
        'file',
        client,
        client.entry({ kind: 'http', url: 'http://127.0.0.1:1/mcp', token: 't' }),
      );
      expect(JSON.stringify(await readEntry(made, 'file', client))).toContain('Bearer t');
    });

    it('is left alone when it cannot be read', async () => {
      await expect(
        withEntry(client.format === 'json' ? '{"a": ' : 'a = \n', 'broken', client, {}),
      ).rejects.toThrow(/broken.*put the file right first, nothing was changed/s);
    });
  },
);
