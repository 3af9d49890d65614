/** By what a request shows that a proxy passed it on, whether or not it says for whom. */
import type { IncomingMessage } from 'node:http';

const headers = /^(x-forwarded(-.+)?|forwarded|via|x-(original-forwarded-for|original-host|real-ip|client-ip|cluster-client-ip|envoy-.+)|true-client-ip|cf-connecting-ip|fastly-client-ip)$/;

/**
 * `header x-real-ip` or `HTTP/1.0`, for a message; undefined where nothing shows. What nginx (`proxy_pass` alone) and others speak to the service
 * behind them is HTTP/1.0, without any header. A proxy that passes on bytes, or speaks HTTP/1.1 and adds nothing, shows nothing.
 */
export function proxySign({ headers: given, httpVersion }: Pick<IncomingMessage, 'headers' | 'httpVersion'>): string | undefined {
  const name = Object.keys(given).find((header) => headers.test(header));
  if (name !== undefined) return `header ${name}`;
  return httpVersion === '1.0' || httpVersion === '0.9' ? `HTTP/${httpVersion}` : undefined;
}
