// Measures how often search_tools returns a right tool among the first three for a wish in everyday words.
//
// Outsiders wrote the wishes from a list of what the product can do. The sentences in `wishes` of each tool were tuned with them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askForTools, type Figures, figures, type Task } from './tool-choice.ts';

const file = join(import.meta.dirname, '..', 'test', 'fixtures', 'wishes.jsonl');

export async function measureWishes(): Promise<Figures> {
  const wishes = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): Task => {
      const { wish, tools } = JSON.parse(line);
      return { task: wish, tools };
    });
  return figures(await askForTools(wishes));
}

if (import.meta.main) {
  const { tasks, hits, misses } = await measureWishes();
  console.log(`${hits}/${tasks} (${((100 * hits) / tasks).toFixed(1)} %)`);
  for (const { task, tools, found } of misses)
    console.log(`  ${task}: ${tools.join(' or ')}, found ${found.join(', ')}`);
}
