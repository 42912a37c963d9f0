import { promptRepositories } from '../../feature-options.ts';
import { messageOf } from '../../json.ts';
import { localRepositories } from '../../prompts/mounts/repository.ts';
import { UsageError } from '../terminal/command.ts';
import type { Action } from './prompts-action.ts';

/** Updates the repositories of `prompts.repositories`, or only those that are named. */
export const pull: Action = async ({ terminal, config, rest }) => {
  const { repositories } = promptRepositories(config, terminal.env);
  if (repositories === undefined)
    throw new UsageError('No repository is configured; add one to prompts.repositories in adjutant.toml.');
  const all = localRepositories(repositories.folder, repositories.list);
  for (const name of rest)
    if (!all.some((one) => one.name === name))
      throw new UsageError(`Unknown repository ${name}; known: ${all.map((one) => one.name).join(', ')}`);
  const { pullRepository } = await import('../../prompts/mounts/repository.ts');
  const results = [];
  for (const repository of all) {
    if (rest.length > 0 && !rest.includes(repository.name)) continue;
    try {
      results.push(await pullRepository(repository, repositories.git));
    } catch (error) {
      results.push({ name: repository.name, error: messageOf(error) });
    }
  }
  const lines = results.map((result) =>
    'error' in result
      ? result.error
      : `${result.name}: ${result.commit.slice(0, 7)} ${result.changed ? '(updated)' : '(unchanged)'}`,
  );
  terminal.report({ repositories: results }, lines.join('\n'));
  return results.some((result) => 'error' in result) ? 1 : 0;
};
