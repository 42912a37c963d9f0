import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { contractNames } from '../../src/contracts/contract.ts';
import { isObject } from '../../src/json.ts';
import { type Example, examplesOf } from './documents.ts';
import { partMismatch } from './match.ts';
import { parseTranscript } from './transcript.ts';

const documents = '../shared/contracts';

function isIn(example: Example, messages: readonly unknown[], texts: readonly string[]): boolean {
  if (example.kind === 'text') return texts.includes(example.value);
  if (example.kind === 'message')
    return messages.some((message) => isDeepStrictEqual(message, example.value));
  return messages.some((message) => contains(message, example.value));
}

function contains(value: unknown, part: unknown): boolean {
  if (isObject(value) && isObject(part) && partMismatch(part, value) === undefined) return true;
  return isObject(value) || Array.isArray(value)
    ? Object.values(value).some((inner) => contains(inner, part))
    : false;
}

describe.runIf(existsSync(documents))('the published documents', () => {
  it.each(contractNames.filter((name) => name !== 'standard'))(
    '%s: every example is in a transcript',
    (name) => {
      const scenes = parseTranscript(`test/contracts/${name}.transcript`);
      const messages = scenes.flatMap((scene) =>
        scene.exchanges.flatMap(({ sent, expected }) => [sent, expected]),
      );
      const texts = scenes.flatMap((scene) => scene.rendering?.text ?? []);
      const examples = examplesOf(join(documents, `${name}.md`));
      expect(examples.length).toBeGreaterThan(0);
      expect(examples.filter((example) => !isIn(example, messages, texts))).toEqual([]);
    },
  );
});

describe('reading a document', () => {
  it('throws for an example that is not JSON', () => {
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-document-'));
    const file = join(folder, 'broken.md');
    writeFileSync(file, '# Example\n\n```json\n{"jsonrpc": \n```\n');
    expect(() => examplesOf(file)).toThrow(/broken\.md:3: the example cannot be parsed/);
    rmSync(folder, { recursive: true });
  });
});
