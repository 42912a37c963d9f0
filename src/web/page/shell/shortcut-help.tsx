import { Dialog } from '../controls/dialog.tsx';
import { paletteKeys } from '../controls/shortcuts.ts';

const shortcuts: Readonly<Record<string, readonly (readonly [keys: string, what: string])[]>> = {
  Anywhere: [
    [paletteKeys, 'Open the command palette'],
    ['?', 'Show this help'],
    ['g p', 'Go to Prompts'],
    ['g r', 'Go to Runs'],
    ['g c', 'Go to Calendar'],
    ['g s', 'Go to Server'],
    ['Esc', 'Close a dialog or a panel'],
  ],
  Lists: [
    ['/', 'Search'],
    ['↑ ↓', 'Move through the list'],
    ['Home End', 'Go to the first or last item'],
    ['n', 'New prompt or run'],
  ],
  Calendar: [
    ['Alt ↑ ↓ ← →', 'Move the selected event'],
    ['Alt Shift ↑ ↓', 'Make the selected event shorter or longer'],
  ],
  Prompt: [
    ['e', 'Edit'],
    ['f', 'Add to or remove from favourites'],
    ['← →', 'Switch tabs, with the focus on a tab'],
  ],
};

export default function ShortcutHelp({ close }: { close(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <div class="columns shortcuts">
        {Object.entries(shortcuts).map(([place, rows]) => (
          <section key={place}>
            <h3>{place}</h3>
            <dl>
              {rows.map(([keys, what]) => (
                <div key={keys}>
                  <dt>
                    {keys.split(' ').map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
