/** Every notification channel. A new one is a file in this folder and a line here; the rest is derived from both. */
export { apprise } from './apprise.ts';
export { call } from './call.ts';
export { desktop } from './desktop.ts';
export { email } from './email.ts';
export { gotify } from './gotify.ts';
export { ntfy } from './ntfy.ts';
export { sms } from './sms.ts';
export { telegram } from './telegram.ts';
export { webhook } from './webhook.ts';
