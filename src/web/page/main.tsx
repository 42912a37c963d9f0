import { render } from 'preact';
import { useState } from 'preact/hooks';
import { ConnectionProvider } from './server-connection.tsx';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';
import './style.css';
import { ToastProvider } from './toast.tsx';
import { dropToken, keepToken, takeToken } from './token.ts';

function Page() {
  const [token, setToken] = useState(takeToken);
  if (token === undefined) {
    const enter = (given: string) => {
      keepToken(given);
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
