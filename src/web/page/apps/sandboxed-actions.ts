import type { HostBridge } from './host-bridge.ts';

/**
 * Does what the sandbox of a host may forbid: the browser then drops submitted forms without an event, and opens no link in a
 * new tab. Returns a function that restores the behaviour of the browser.
 */
export function replaceSandboxed(bridge: Pick<HostBridge, 'openLink'>): () => void {
  const replace = (event: MouseEvent) => {
    if (event.defaultPrevented || !(event.target instanceof Element)) return;
    const button = event.target.closest('button');
    const link = event.target.closest<HTMLAnchorElement>('a[target="_blank"]');
    if (button?.type === 'submit' && button.form) {
      event.preventDefault();
      if (button.form.reportValidity())
        button.form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
    } else if (link) {
      event.preventDefault();
      void bridge.openLink(link.href).catch(() => {});
    }
  };
  addEventListener('click', replace);
  return () => removeEventListener('click', replace);
}
