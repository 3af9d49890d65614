/** Who may enter, and a test of it. Keys are named, and never shown: the list is a file of the host, which its administrator edits. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { askJson, sentence } from '../lib/api.js';
import { texts } from '../texts.js';

export interface Access { file: string | null; allowAll: boolean; allowedRoles: string[]; networks: { network: string; role: string }[]; keys: { name: string; role: string }[] }

export function AccessCard({ access }: { access: Access }): JSX.Element {
  const [address, setAddress] = useState('');
  const [key, setKey] = useState('');
  const [verdict, setVerdict] = useState('');
  const test = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const { enters, role, identity } = await askJson<{ enters: boolean; role: string | null; identity: string }>('v1/host/access-test', { json: { address, key } });
      setVerdict(enters ? texts.host.enters(identity, role) : texts.host.staysOut(identity, role));
    } catch (thrown) {
      setVerdict(sentence(thrown));
    }
  };
  return (
    <section class="card"><h2>{texts.host.access}</h2>
      <p class="soft">{access.file === null ? access.allowAll ? texts.host.allowAll : texts.host.loopback : texts.host.listIn(access.file, access.allowedRoles.join(', '))}</p>
      {access.networks.length + access.keys.length > 0 && (
        <table class="plain"><thead><tr><th scope="col">{texts.host.who}</th><th scope="col">{texts.host.role}</th></tr></thead><tbody>
          {access.networks.map(({ network, role }) => <tr><td><code>{network}</code></td><td>{role}</td></tr>)}
          {access.keys.map(({ name, role }) => <tr><td>{texts.host.keyOf(name)}</td><td>{role}</td></tr>)}
        </tbody></table>
      )}
      {access.file !== null && <p class="soft">{texts.host.keysHow} <code>lectern keys add NAME researcher --list {access.file}</code></p>}
      <form class="row" onSubmit={(event) => void test(event)}>
        <input type="text" required aria-label={texts.host.address} placeholder="10.1.2.3" value={address} onInput={(event) => setAddress(event.currentTarget.value)} />
        <input type="text" aria-label={texts.host.key} placeholder={texts.host.key} autocomplete="off" value={key} onInput={(event) => setKey(event.currentTarget.value)} />
        <button type="submit" class="small">{texts.host.test}</button>
      </form>
      {verdict !== '' && <p role="status">{verdict}</p>}
    </section>
  );
}
