/** The addresses that the service listens on, as `--listen` names them. */

export interface ListenAddress {
  host: string;
  port: number;
}

/** `host:port`, `[v6]:port` or a port alone, which means loopback. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:(?:\[([0-9a-fA-F:.%\w]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  return port > 65535 ? undefined : { host: match[1] ?? match[2] ?? '127.0.0.1', port };
}
