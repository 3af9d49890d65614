/** Signs that a proxy has passed a request on, whether or not it names its client. */
import type { IncomingMessage } from 'node:http';

const headers = /^(x-forwarded(-.+)?|forwarded|via|x-(original-forwarded-for|original-host|real-ip|client-ip|cluster-client-ip|envoy-.+)|true-client-ip|cf-connecting-ip|fastly-client-ip)$/;

/**
 * The sign for a message, such as `header x-real-ip` or `HTTP/1.0`; undefined where there is none. nginx (with `proxy_pass` alone) and other proxies speak HTTP/1.0 to the service
 * behind them, and add no header. A proxy that passes bytes on, or speaks HTTP/1.1 and adds no header, leaves no sign.
 */
export function proxySign({ headers: given, httpVersion }: Pick<IncomingMessage, 'headers' | 'httpVersion'>): string | undefined {
  const name = Object.keys(given).find((header) => headers.test(header));
  if (name !== undefined) return `header ${name}`;
  return httpVersion === '1.0' || httpVersion === '0.9' ? `HTTP/${httpVersion}` : undefined;
}
