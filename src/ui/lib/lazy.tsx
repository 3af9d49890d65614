/** A view whose script is fetched when it is first shown. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.js';
import { sentence } from './api.js';

export function lazyView(load: () => Promise<() => JSX.Element>): () => JSX.Element {
  let loaded: (() => JSX.Element) | undefined;
  return function Lazy(): JSX.Element {
    const [failure, setFailure] = useState('');
    const [, setDone] = useState(loaded !== undefined);
    useEffect(() => {
      if (loaded === undefined) load().then((view) => { loaded = view; setDone(true); }, (thrown: unknown) => setFailure(sentence(thrown)));
    }, []);
    if (loaded === undefined) return <p class="soft middle" role="status">{failure === '' ? texts.viewer.loading : failure}</p>;
    const View = loaded;
    return <View />;
  };
}
