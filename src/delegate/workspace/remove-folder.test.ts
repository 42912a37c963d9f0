import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asOrdinaryUser } from '../../../test/ordinary-user.ts';
import { plantTree } from '../../../test/tree.ts';
import { removeFolder } from './remove-folder.ts';

describe('removeFolder', () => {
  it('removes folders without permissions, and nothing behind links', async () => {
    const folder = plantTree();
    chmodSync(folder, 0o777);
    await asOrdinaryUser(async () => {
      mkdirSync(join(folder, 'outside'));
      writeFileSync(join(folder, 'outside', 'file'), 'kept');
      mkdirSync(join(folder, 'storage', 'work', 'work', 'inner'), { recursive: true });
      symlinkSync(join(folder, 'outside'), join(folder, 'storage', 'work', 'link'));
      for (const path of ['work/work/inner', 'work/work', 'work'])
        chmodSync(join(folder, 'storage', path), 0o000);
      await removeFolder(join(folder, 'storage'));
      await removeFolder(join(folder, 'missing'));
    });
    expect(existsSync(join(folder, 'storage'))).toBe(false);
    expect(existsSync(join(folder, 'outside', 'file'))).toBe(true);
  });
});
