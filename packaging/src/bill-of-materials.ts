/** The bill of materials of a release: what npm installed for running, and what is linked or carried beside it, in CycloneDX 1.5. */
import { createHash } from 'node:crypto';

interface Component {
  'bom-ref'?: string;
  type: string;
  name: string;
  version: string;
  description?: string;
  licenses: { license: { id: string } | { name: string } }[];
  scope?: string;
}

export interface BillOfMaterials {
  bomFormat: string;
  serialNumber?: string;
  metadata: { timestamp?: string; component?: { name: string; version: string; type: string } };
  components: Component[];
}

export interface CarriedVersions {
  node: string;
  /** Whether the addon holds CUDA kernels: it links NVIDIA's static runtime then. */
  cuda: boolean;
}

/** What `npm sbom` does not know. */
function carried({ node, cuda }: CarriedVersions): Component[] {
  const component = (name: string, version: string, license: Component['licenses'][number]['license'], description: string): Component => ({ type: 'library', name, version, description, licenses: [{ license }], scope: 'required' });
  return [
    component('node', node, { id: 'MIT' }, 'The runtime inside the executable, with the licences of its own parts in its LICENSE file'),
    component('pdfium', 'as in @embedpdf/pdfium', { id: 'BSD-3-Clause' }, 'The PDF engine, as WebAssembly'),
    ...(cuda ? [component('cudart_static', 'as compiled', { name: 'NVIDIA CUDA Toolkit EULA' }, 'The CUDA runtime, linked statically into the addon')] : []),
  ];
}

/**
 * `npm` is what `npm sbom --sbom-format=cyclonedx` prints; `time` that of the sources, in seconds since 1970. The same sources and packages give the
 * same bytes: the serial number is made from the components.
 */
export function billOfMaterials(npm: BillOfMaterials, versions: CarriedVersions, name: string, version: string, time: string): string {
  const components = [...npm.components, ...carried(versions)].sort((a, b) => `${a.name}@${a.version}`.localeCompare(`${b.name}@${b.version}`, 'en'));
  const hex = createHash('sha256').update(JSON.stringify([name, version, components])).digest('hex');
  const serialNumber = `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  const metadata = { ...npm.metadata, timestamp: new Date(Number(time) * 1000).toISOString(), component: { ...npm.metadata.component, type: 'application', name, version } };
  return `${JSON.stringify({ ...npm, serialNumber, metadata, components }, null, 2)}\n`;
}

/** Components without a licence. A release has none. */
export function unlicensed({ components }: Pick<BillOfMaterials, 'components'>): string[] {
  return components.filter(({ licenses }) => (licenses ?? []).length === 0).map(({ name, version }) => `${name} ${version}`);
}
