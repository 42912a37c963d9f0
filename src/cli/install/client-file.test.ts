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

describe('a file of settings', () => {
  const cursor = clients.find(({ id }) => id === 'cursor')!;
  const codex = clients.find(({ id }) => id === 'codex')!;
  const put = (text: string, client = cursor) => withEntry(text, 'file', client, { command: 'c' });
  const out = (text: string, client = cursor) => withoutEntry(text, 'file', client);

  it('keeps remarks with what they are about', async () => {
    const text = '{\n  "a": 1, // of a\n  "b": 2 // of b\n  // the end\n}\n';
    const after = await put(text);
    expect(after).toBe(
      '{\n  "a": 1, // of a\n  "b": 2, // of b\n  "mcpServers": {\n    "adjutant": {\n      "command": "c"\n    }\n  }\n  // the end\n}\n',
    );
    expect(await out(after)).toBe(text);
  });

  it('has its lines ended as before, and its mark at the start', async () => {
    for (const [text, client] of [
      ['\uFEFF{\r\n\t"a": 1\r\n}\r\n', cursor],
      ['\uFEFFa = 1\r\n', codex],
    ] as const) {
      const after = await put(text, client);
      expect(after).toMatch(/^\uFEFF.*adjutant/s);
      expect(after).not.toMatch(/(?<!\r)\n/);
      expect(await out(after, client)).toBe(text);
    }
    expect(await put('{\n"a": 1\r\n}')).toContain('{\n"a": 1,');
  });

  it('may have commas at the end', async () => {
    const text = '{\n  "a": 1,\n  "mcpServers": {\n    "x": {},\n  },\n}\n';
    expect(await out(await put(text))).toBe(text);
  });

  it.each([
    ['{"mcpServers": null}', cursor],
    ['{"mcpServers": ["adjutant"]}', cursor],
    ['{"mcpServers": {"x": 1}, "mcpServers": {"y": 2}}', cursor],
    ['mcp_servers = 1\n', codex],
    ['mcp_servers = { x = { command = "y" } }\n', codex],
    ['[mcp_servers]\nadjutant = { command = "y" }\n', codex],
    ['mcp_servers.adjutant.command = "y"\n', codex],
  ])('is left alone where an edit could harm: %j', async (text, client) => {
    await expect(put(text, client)).rejects.toThrow(/put "adjutant" into it by hand, nothing was changed/);
  });

  it('has nothing taken out that only looks like ours', async () => {
    const text = 'note = """\n[mcp_servers.adjutant]\n"""\n[mcp_servers.adjutant]\ncommand = "c"\n';
    await expect(out(text, codex)).rejects.toThrow(/take "adjutant" out of it by hand/);
  });
});
