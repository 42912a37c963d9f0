import { render } from 'preact';
import { useState } from 'preact/hooks';
import { ConnectionProvider } from './shared/server-connection.tsx';
import { SignIn } from './shared/sign-in.tsx';
import { Shell } from './shell.tsx';
import './style.css';
import { ToastProvider } from './shared/toast.tsx';
import { dropToken, ensureToken, takeToken } from './shared/token.ts';

function Page() {
  const [token, setToken] = useState(takeToken);
  if (token === undefined) {
    const enter = (given: string) => {
      ensureToken(given);
      setToken(given);
    };
    return <SignIn enter={enter} />;
  }
  const leave = () => {
    dropToken();
    setToken(undefined);
  };
  return (
    <ConnectionProvider token={token} refused={leave}>
      <ToastProvider>
        <Shell />
      </ToastProvider>
    </ConnectionProvider>
  );
}

render(<Page />, document.getElementById('page')!);
