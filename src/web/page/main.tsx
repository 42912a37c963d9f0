import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { draftOwner, leaveDrafts, recoverDrafts, removeDraftsOf } from './shared/draft-storage.ts';
import { InboxProvider } from './shared/inbox.tsx';
import { ConnectionProvider } from './shared/server-connection.tsx';
import {
  announceSignOut,
  clearToken,
  loadToken,
  onSignOut,
  receiveToken,
  SignIn,
  storeToken,
} from './shared/sign-in.tsx';
import { ToastProvider } from './shared/toast.tsx';
import { Shell } from './shell/shell.tsx';
import './style.css';

/** How long to wait for another tab's token before the form appears. A later token still signs in. */
const otherTabsMs = 300;

/** Loaded at once, because that also removes a token from the address. */
const firstToken = loadToken();

function Page() {
  const [token, setToken] = useState(firstToken);
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    if (token !== undefined) return;
    const stop = receiveToken(setToken);
    const timer = setTimeout(() => setAsked(true), otherTabsMs);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [token]);
  const forget = () => {
    clearToken();
    setToken(undefined);
  };
  useEffect(
    () =>
      onSignOut((person) => {
        const isOurs = person === draftOwner();
        removeDraftsOf(person);
        if (isOurs) forget();
      }),
    [],
  );
  if (token === undefined) {
    const signIn = (newToken: string) => {
      storeToken(newToken);
      setToken(newToken);
    };
    return asked ? <SignIn signIn={signIn} /> : null;
  }
  // What was typed stays: the same person signs in again, with another token.
  const reject = () => {
    leaveDrafts();
    forget();
  };
  const signOut = () => {
    const person = draftOwner();
    if (person !== undefined) {
      removeDraftsOf(person);
      announceSignOut(person);
    }
    forget();
  };
  return (
    <ConnectionProvider token={token} onUnauthorized={reject}>
      <ToastProvider>
        <InboxProvider>
          <Shell signOut={signOut} />
        </InboxProvider>
      </ToastProvider>
    </ConnectionProvider>
  );
}

void recoverDrafts().then(() => render(<Page />, document.getElementById('page')!));
