import { render } from 'preact';
import { useState } from 'preact/hooks';
import { ConnectionProvider } from './shared/server-connection.tsx';
import { SignIn } from './shared/sign-in.tsx';
import { Shell } from './shell.tsx';
import './style.css';
import { ToastProvider } from './shared/toast.tsx';
import { clearToken, loadToken, storeToken } from './shared/token.ts';

function Page() {
  const [token, setToken] = useState(loadToken);
  if (token === undefined) {
    const signIn = (newToken: string) => {
      storeToken(newToken);
      setToken(newToken);
    };
    return <SignIn signIn={signIn} />;
  }
  const signOut = () => {
    clearToken();
    setToken(undefined);
  };
  return (
    <ConnectionProvider token={token} onUnauthorized={signOut}>
      <ToastProvider>
        <Shell />
      </ToastProvider>
    </ConnectionProvider>
  );
}

render(<Page />, document.getElementById('page')!);
