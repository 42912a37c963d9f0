import { useState } from 'preact/hooks';

export function CopyButton({ text }: { text: string }) {
  const [label, setLabel] = useState('Copy');
  const copy = async () => {
    // Chats may forbid it to the views that they show.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setLabel(copied ? 'Copied' : 'Not allowed here. Select the text and copy it.');
    setTimeout(() => setLabel('Copy'), copied ? 1500 : 5000);
  };
  return (
    <button type="button" class="small" onClick={copy} disabled={text === ''}>
      {label}
    </button>
  );
}
