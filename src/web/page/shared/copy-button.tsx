import { useState } from 'preact/hooks';

export function CopyButton({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" class="small" onClick={copy} disabled={text === ''}>
      {copied ? 'Copied' : 'Copy'}
    </button>
  );
}
