import { pathTo } from '../shared/route.ts';

/** Links to other prompts. */
export function PromptLinks({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p class="quiet marks">
      {title}
      {names.map((name) => (
        <a key={name} href={pathTo('prompts', name)}>
          {name}
        </a>
      ))}
    </p>
  );
}
