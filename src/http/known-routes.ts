/** Which methods a path answers to: for the 405, its `allow` header, and the redirect of a path that ends in a slash. */

interface Known {
  pattern: RegExp;
  methods: Set<string>;
}

export class KnownRoutes {
  private readonly byUrl = new Map<string, Known>();

  /** `url` as routes are declared, with `:name` for a segment and `*` for the rest. */
  add(url: string, methods: string | string[]): void {
    const known = this.byUrl.get(url) ?? { pattern: toPattern(url), methods: new Set<string>() };
    for (const method of [methods].flat()) known.methods.add(method.toUpperCase());
    this.byUrl.set(url, known);
  }

  /** Empty for a path that no route knows. */
  methodsOf(path: string): string[] {
    const found = [...this.byUrl.values()].filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]);
    return [...new Set(found)].sort();
  }
}

function toPattern(url: string): RegExp {
  const segments = url.split('/').map((segment) => {
    if (segment === '*') return '.*';
    return segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}$`);
}
