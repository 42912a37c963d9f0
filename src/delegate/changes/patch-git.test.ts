import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changedLines, PatchedFolder } from '../../../test/delegate/patched-folder.ts';

let folder: PatchedFolder;
beforeEach(() => {
  folder = new PatchedFolder();
});
afterEach(() => folder.dispose());

describe('the patch in a git repository', () => {
  beforeEach(() => {
    folder.git(['init', '-q']);
    folder.write('sub/inner.txt', 'old\n');
    folder.write('outer.txt', 'old\n');
  });

  it('includes changes that the agent committed', async () => {
    folder.commitAll();
    const patch = await folder.recordPatch(() => {
      folder.write('outer.txt', 'new\n');
      folder.commitAll();
    });
    expect(changedLines(patch)).toEqual(['--- a/outer.txt', '+++ b/outer.txt', '-old', '+new']);
  });

  it('is created before the first commit too', async () => {
    const patch = await folder.recordPatch(() => folder.write('outer.txt', 'old\nnew\n'));
    expect(changedLines(patch)).toEqual(['--- a/outer.txt', '+++ b/outer.txt', '+new']);
  });

  it('is relative to the working folder', async () => {
    folder.commitAll();
    folder.write('sub/dirty.txt', 'before\n');
    const patch = await folder.recordPatch(() => folder.write('sub/inner.txt', 'new\n'), {
      cwd: join(folder.path, 'sub'),
    });
    expect(changedLines(patch)).toEqual(['--- a/inner.txt', '+++ b/inner.txt', '-old', '+new']);
  });

  it('starts no program configured in the repository', async () => {
    const ran = join(folder.base, 'ran');
    folder.git(['config', 'filter.evil.clean', `touch ${ran}; cat`]);
    folder.git(['config', 'filter.evil.required', 'true']);
    folder.git(['config', 'diff.evil.textconv', `touch ${ran}; cat`]);
    folder.git(['config', 'diff.evil.command', `touch ${ran}`]);
    folder.git(['config', 'diff.external', `touch ${ran}`]);
    writeFileSync(join(folder.base, 'more'), `[filter "worse"]\n\tprocess = touch ${ran}\n`);
    folder.git(['config', 'include.path', join(folder.base, 'more')]);
    folder.commitAll();
    folder.write('.gitattributes', '*.txt filter=evil diff=evil\n*.md filter=worse\n');
    folder.write('note.md', 'old\n');
    const patch = await folder.recordPatch(() => {
      folder.write('outer.txt', 'new\n');
      folder.write('note.md', 'new\n');
    });
    expect(changedLines(patch)).toEqual(expect.arrayContaining(['-old', '+new']));
    expect(existsSync(ran)).toBe(false);
  });

  it('does not fetch objects missing from a partial clone', async () => {
    const ran = join(folder.base, 'ran');
    folder.commitAll();
    folder.git(['config', 'core.repositoryFormatVersion', '1']);
    folder.git(['config', 'extensions.partialClone', 'away']);
    folder.git(['config', 'remote.away.promisor', 'true']);
    folder.git(['config', 'remote.away.url', folder.path]);
    folder.git(['config', 'remote.away.uploadpack', `touch ${ran};`]);
    const blob = folder.git(['rev-parse', 'HEAD:outer.txt']).trim();
    folder.remove(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
    await folder.recordPatch(() => folder.write('outer.txt', 'new\n'));
    expect(existsSync(ran)).toBe(false);
  });

  it('adds no objects to the repository and does not change its index', async () => {
    folder.commitAll();
    folder.write('dirty.txt', 'before\n');
    const state = () => [
      folder.git(['count-objects', '-v']),
      readFileSync(join(folder.path, '.git/index')).toString('base64'),
      folder.git(['status', '--porcelain']),
    ];
    const [objects, index, status] = state();
    await folder.recordPatch(() => folder.write('outer.txt', 'new\n'));
    folder.git(['checkout', '-q', 'outer.txt']);
    expect([objects, status]).toEqual([state()[0], state()[2]]);
    expect(readFileSync(join(folder.path, '.git/index')).length).toBe(Buffer.from(index!, 'base64').length);
  });
});
