import { Button } from '../controls/fields.tsx';
import { Icon } from '../controls/icon.tsx';
import { useStoredNames } from '../controls/stored-names.ts';

/** The prompts that the user marked in this browser. */
export function useFavourites() {
  return useStoredNames('adjutant-favourites');
}

export function FavouriteButton({ name }: { name: string }) {
  const [favourites, toggle] = useFavourites();
  const marked = favourites.has(name);
  return (
    <Button
      class={`plain star ${marked ? 'on' : ''}`}
      aria-pressed={marked}
      aria-label="Favourite"
      title={marked ? 'Remove from favourites (f)' : 'Add to favourites (f)'}
      onClick={() => toggle(name)}
    >
      <Icon name="star" filled={marked} />
    </Button>
  );
}
