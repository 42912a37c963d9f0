import { describe, expect, it } from 'vitest';
import { parseEntry } from './client-entry.ts';
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
  yaml: `# kept
theme: dark # and this
KEY:
  other:
    cmd: x
    args: [a]
  # kept with the table

profiles:
  - z = 1
`,
};

describe.each(clients.map((client) => [client.id, client] as const))(
  'the configuration of %s',
  (_, client) => {
    const text = existing[client.format].replaceAll('KEY', client.key);

    it('gets our entry and keeps every other line', async () => {
      const after = await withEntry(text, 'file', client, client.entry(entry));
      expect(parseEntry((await readEntry(after, 'file', client))!)).toEqual({ ...entry, env: {} });
      for (const line of text.split('\n').filter((one) => /kept|other|and this|z = 1|theme/.test(one))) {
        expect(after).toContain(line.trim().replace(/,$/, ''));
      }
    });

    it('is the same as before after our entry is removed', async () => {
      expect(
        await withoutEntry(await withEntry(text, 'file', client, client.entry(entry)), 'file', client),
      ).toBe(text);
    });

    it('gets a new entry that replaces an old one', async () => {
      const old = await withEntry(text, 'file', client, client.entry({ ...entry, command: 'old' }));
      const after = await withEntry(old, 'file', client, client.entry(entry));
      expect(parseEntry((await readEntry(after, 'file', client))!)).toEqual({ ...entry, env: {} });
      expect(after).not.toMatch(/\bold\b/);
    });

    it('is created if there is none', async () => {
      const made = await withEntry(
        '',
        'file',
        client,
        client.entry({ kind: 'http', url: 'http://127.0.0.1:1/mcp', token: 't' }),
      );
      expect(JSON.stringify(await readEntry(made, 'file', client))).toContain('Bearer t');
    });

    it('is not changed if it is invalid', async () => {
      await expect(
        withEntry({ json: '{"a": ', toml: 'a = \n', yaml: 'a: [1\n' }[client.format], 'broken', client, {}),
      ).rejects.toThrow(/broken.*correct the file first. Nothing was changed/s);
    });
  },
);

describe('a configuration file', () => {
  const cursor = clients.find(({ id }) => id === 'cursor')!;
  const codex = clients.find(({ id }) => id === 'codex')!;
  const goose = clients.find(({ id }) => id === 'goose')!;
  const add = (text: string, client = cursor) => withEntry(text, 'file', client, { command: 'c' });
  const remove = (text: string, client = cursor) => withoutEntry(text, 'file', client);

  it('keeps comments beside the settings they describe', async () => {
    const text = '{\n  "a": 1, // of a\n  "b": 2 // of b\n  // the end\n}\n';
    const after = await add(text);
    expect(after).toBe(
      '{\n  "a": 1, // of a\n  "b": 2, // of b\n  "mcpServers": {\n    "adjutant": {\n      "command": "c"\n    }\n  }\n  // the end\n}\n',
    );
    expect(await remove(after)).toBe(text);
  });

  it('keeps its line endings and its byte order mark', async () => {
    for (const [text, client] of [
      ['\uFEFF{\r\n\t"a": 1\r\n}\r\n', cursor],
      ['\uFEFFa = 1\r\n', codex],
    ] as const) {
      const after = await add(text, client);
      expect(after).toMatch(/^\uFEFF.*adjutant/s);
      expect(after).not.toMatch(/(?<!\r)\n/);
      expect(await remove(after, client)).toBe(text);
    }
    expect(await add('{\n"a": 1\r\n}')).toContain('{\n"a": 1,');
  });

  it.each([
    'extensions:\n',
    'extensions: {} # none yet\n',
    'a: |\n  text\n\n',
    'extensions:\n    x:\n        cmd: y # of x\n# the end',
    'extensions:\n  x:\n    text: |\n      one\n      two\nb: 1\n',
    '---\na: 1\n',
  ])('in YAML gets our entry and loses nothing: %j', async (text) => {
    const after = await add(text, goose);
    expect((await readEntry(after, 'file', goose))!).toEqual({ command: 'c' });
    for (const line of text.split('\n')) expect(after).toContain(line.replace(/ \{\}/, ''));
  });

  it('may have trailing commas', async () => {
    const text = '{\n  "a": 1,\n  "mcpServers": {\n    "x": {},\n  },\n}\n';
    expect(await remove(await add(text))).toBe(text);
  });

  it.each([
    ['{"mcpServers": null}', cursor],
    ['{"mcpServers": ["adjutant"]}', cursor],
    ['{"mcpServers": {"x": 1}, "mcpServers": {"y": 2}}', cursor],
    ['mcp_servers = 1\n', codex],
    ['mcp_servers = { x = { command = "y" } }\n', codex],
    ['[mcp_servers]\nadjutant = { command = "y" }\n', codex],
    ['mcp_servers.adjutant.command = "y"\n', codex],
    ['extensions: {x: {cmd: y}}\n', goose],
    ['extensions: [x]\n', goose],
    ['extensions: &all\n  x: {cmd: y}\nothers: *all\n', goose],
  ])('is not changed if an edit would not be safe: %j', async (text, client) => {
    await expect(add(text, client)).rejects.toThrow(/add "adjutant" by hand. Nothing was changed/);
  });

  it('keeps text that only looks like our entry', async () => {
    const text = 'note = """\n[mcp_servers.adjutant]\n"""\n[mcp_servers.adjutant]\ncommand = "c"\n';
    await expect(remove(text, codex)).rejects.toThrow(/remove "adjutant" by hand/);
  });
});
