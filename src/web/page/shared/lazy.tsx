import type { ComponentType, FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../controls/fields.tsx';
import { Loading } from '../controls/loading.tsx';
import { useConnection } from './server-connection.tsx';

/** The file is missing if the server was updated while the page was open. */
async function failureReason(): Promise<string> {
  const answered = await fetch('/', { method: 'HEAD' }).catch(() => undefined);
  return answered ? 'The server was updated.' : 'The server is not responding. Is it running?';
}

type PropsOf<Component> = Component extends (props: infer Props extends object) => unknown ? Props : object;

/** A component of a file that the browser loads when it is first rendered, or earlier with `preload`. */
export function lazy<File, Name extends keyof File>(
  load: () => Promise<File>,
  name: Name,
): FunctionComponent<PropsOf<File[Name]>> & { preload(): void } {
  type Props = PropsOf<File[Name]>;
  let loaded: ComponentType<Props> | undefined;
  const loadOnce = async () => {
    loaded ??= (await load())[name] as ComponentType<Props>;
  };
  function Lazy(props: Props) {
    const { live } = useConnection();
    const [failure, setFailure] = useState('');
    const [, setReady] = useState(loaded !== undefined);
    useEffect(() => {
      loadOnce().then(
        () => setReady(true),
        async () => setFailure(await failureReason()),
      );
    }, []);
    // Browsers may remember that a script could not be loaded, until the page is loaded again.
    useEffect(() => {
      if (failure !== '' && live) location.reload();
    }, [failure, live]);
    if (failure !== '')
      return (
        <p class="problem page-body" role="alert">
          {failure} <Button onClick={() => location.reload()}>Reload the page</Button>
        </p>
      );
    const Component = loaded;
    return Component ? <Component {...props} /> : <Loading />;
  }
  const preload = () => void loadOnce().catch(() => {});
  return Object.assign(Lazy, { preload });
}
