/** The manifests of the npm packages: of the program, and of its addon for one platform. */

export interface Manifest {
  name: string;
  version: string;
  description: string;
  dependencies?: Record<string, string>;
  [key: string]: unknown;
}

/** What the addon is compiled with where no package of the platform fits. */
const headerPackages = ['node-addon-api', 'node-api-headers'];

/** The newest version of the GNU C library of which the files name a symbol, as "2.34". */
export function neededGlibc(files: readonly Uint8Array[]): string {
  const minors = files.flatMap((file) => [...Buffer.from(file).toString('latin1').matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor)));
  return `2.${Math.max(0, ...minors)}`;
}

/** The addon of this machine's platform. `cuda`: with kernels; `files`: the bytes of all that is linked. */
export function platformManifest(own: Manifest, { cuda, files }: { cuda: boolean; files: readonly Uint8Array[] }, platform: string = process.platform, architecture: string = process.arch): Manifest {
  const { napi_versions: versions } = own['binary'] as { napi_versions: number[] };
  return {
    name: `@lectern/${platform}-${architecture}${cuda ? '-cuda' : ''}`,
    version: own.version,
    description: `The native addon of Lectern for ${platform} on ${architecture}${cuda ? ', with CUDA kernels; it contains the CUDA runtime, under the NVIDIA CUDA Toolkit EULA' : ''}`,
    license: own['license'],
    engines: own['engines'],
    os: [platform],
    cpu: [architecture],
    libc: ['glibc'],
    preferUnplugged: true,
    // native/install.mjs compares these with the machine.
    lectern: { cuda, napi: Math.max(...versions), glibc: neededGlibc(files) },
  };
}

/**
 * The program, as the manifest of the sources has it. The bundle holds every dependency but `whole`. The addon without CUDA comes with it where the platform
 * fits; the one with CUDA, which is large, is installed by name and must have the same version.
 */
export function mainManifest(own: Manifest, whole: readonly string[]): Manifest {
  const { dependencies = {} } = own;
  const optional = '@lectern/linux-x64';
  return {
    name: own.name,
    version: own.version,
    description: own.description,
    license: own['license'],
    type: own['type'],
    engines: own['engines'],
    os: ['linux'],
    bin: own['bin'],
    binary: own['binary'],
    scripts: { install: 'node native/install.mjs' },
    dependencies: Object.fromEntries([...whole, ...headerPackages].map((name) => {
      const range = dependencies[name];
      if (range === undefined) throw new Error(`package.json does not name ${name}.`);
      return [name, range];
    })),
    optionalDependencies: { [optional]: own.version },
    peerDependencies: { [`${optional}-cuda`]: own.version },
    peerDependenciesMeta: { [`${optional}-cuda`]: { optional: true } },
  };
}
