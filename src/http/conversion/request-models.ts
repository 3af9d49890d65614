/** The bodies of the conversion routes beside the options: sources, targets and callbacks, as the contract names them. */
import type { Issue } from '../error-reply.js';
import { flag, integer, list, literal, mapOf, nullable, text, url, type Kind } from './kinds.js';
import { field, model, union, type ModelOf } from './models.js';

const webUrl = url(['http', 'https']);

/** An archive behind a URL would be many documents; the contract refuses it in these words. */
const documentUrl: Kind<string> = {
  ...webUrl,
  read(value, at, issues) {
    const read = webUrl.read(value, at, issues);
    if (read === undefined || !new URL(read).pathname.toLowerCase().endsWith('.zip')) return read;
    issues.push({ type: 'value_error', loc: at, msg: 'Value error, ZIP URLs are not accepted on the convert endpoint' });
    return undefined;
  },
};

export const fileSource = model('FileSourceRequest', 'A document inside the request.', {
  base64_string: field(text, 'The bytes of the document as base64.'),
  filename: field(text, 'What the document is called, with its extension.'),
  kind: field(literal('file'), 'The kind of source.', 'file'),
});

export const httpSource = model('HttpSourceRequest', 'A document on a web server; only from hosts that the settings of the service name.', {
  url: field(documentUrl, 'Address of the document.'),
  headers: field(mapOf(text), 'Headers sent to the host of the address.', {}),
  kind: field(literal('http'), 'The kind of source.', 'http'),
});

export const anyHttpSource = model('AnyHttpSourceRequest', 'A document or archive on a web server.', {
  url: field(webUrl, 'Address.'),
  headers: field(mapOf(text), 'Headers sent to the host of the address.', {}),
  kind: field(literal('http'), 'The kind of source.', 'http'),
});

const s3Fields = {
  endpoint: field(text, 'Host of the object store.'),
  verify_ssl: field(flag, 'Whether the connection is encrypted and checked.', true),
  region: field(nullable(text), 'Region of the bucket.', null),
  access_key: field(nullable(text), 'Name of the key; with the key, or without both.', null),
  secret_key: field(nullable(text), 'The key.', null),
  bucket: field(text, 'Name of the bucket.'),
  key_prefix: field(text, 'What keys begin with.', ''),
  max_num_elements: field(nullable(integer({ least: 1 })), 'Objects at most.', null),
};
/** Ambient credentials count where there is no key; half a pair is a mistake. */
function checkKeyPair({ access_key: name, secret_key: key }: { access_key: string | null; secret_key: string | null }, issues: Issue[]): void {
  if ((name === null) !== (key === null)) issues.push({ type: 'value_error', loc: [], msg: 'Value error, access_key and secret_key must be given together, or neither.' });
}

const azureFields = {
  account_name: field(text, 'Name of the account.'),
  container: field(text, 'Name of the container.'),
  connection_string: field(text, 'Connection string.'),
  blob_prefix: field(text, 'What names begin with.', ''),
  max_num_elements: field(nullable(integer()), 'Objects at most.', null),
};
const serviceAccount = model('GoogleCloudStorageServiceAccountInfo', 'The key of a service account.', {
  project_id: field(text, 'Project.'),
  private_key_id: field(text, 'Name of the key.'),
  private_key: field(text, 'The key.'),
  client_email: field(text, 'Account.'),
  client_id: field(text, 'Number of the account.'),
  auth_uri: field(text, 'Address that grants access.'),
  token_uri: field(text, 'Address that gives tokens.'),
  auth_provider_x509_cert_url: field(text, 'Certificate of the provider.'),
  client_x509_cert_url: field(text, 'Certificate of the account.'),
  universe_domain: field(text, 'Domain of the cloud.'),
});
const googleStorageFields = {
  bucket: field(text, 'Name of the bucket.'),
  key_prefix: field(text, 'What keys begin with.', ''),
  max_num_elements: field(nullable(integer({ least: 1 })), 'Objects at most.', null),
  project: field(nullable(text), 'Project.', null),
  service_account_key: field(nullable(serviceAccount), 'Key of a service account.', null),
};
const driveCredentials = model('GoogleDriveCredentials', 'Credentials of a client of Google Drive.', {
  client_id: field(text, 'Name of the client.'),
  project_id: field(text, 'Project.'),
  auth_uri: field(url(), 'Address that grants access.'),
  token_uri: field(url(), 'Address that gives tokens.'),
  auth_provider_x509_cert_url: field(url(), 'Certificate of the provider.'),
  client_secret: field(text, 'Secret of the client.'),
  redirect_uris: field(list(url()), 'Addresses to return to.'),
});
const driveFields = {
  path_id: field(text, 'Name of the file or folder.'),
  token_path: field(nullable(text), 'File with the token.', null),
  refresh_token: field(nullable(text), 'Token that renews access.', null),
  credentials_path: field(nullable(text), 'File with the credentials.', null),
  credentials: field(nullable(driveCredentials), 'The credentials.', null),
};

const notHere = 'described for clients of the original; this service has no storage connectors and refuses it.';
const kindOf = <W extends string>(word: W) => field(literal(word), 'The kind.', word as NoInfer<W>);

export const storageSources = {
  s3: model('S3SourceRequest', `Objects of S3: ${notHere}`, { ...s3Fields, kind: kindOf('s3') }, checkKeyPair),
  azure_blob: model('AzureBlobSourceRequest', `Blobs of Azure: ${notHere}`, { ...azureFields, kind: kindOf('azure_blob') }),
  google_cloud_storage: model('GoogleCloudStorageSourceRequest', `Objects of Google Cloud Storage: ${notHere}`, { ...googleStorageFields, kind: kindOf('google_cloud_storage') }),
  google_drive: model('GoogleDriveSourceRequest', `Files of Google Drive: ${notHere}`, { ...driveFields, kind: kindOf('google_drive') }),
};

const storageTargets = {
  s3: model('S3Target', `A bucket of S3: ${notHere}`, { ...s3Fields, kind: kindOf('s3') }, checkKeyPair),
  azure_blob: model('AzureBlobTarget', `A container of Azure: ${notHere}`, { ...azureFields, kind: kindOf('azure_blob') }),
  google_cloud_storage: model('GoogleCloudStorageTarget', `A bucket of Google Cloud Storage: ${notHere}`, { ...googleStorageFields, kind: kindOf('google_cloud_storage') }),
  google_drive: model('GoogleDriveTarget', `A folder of Google Drive: ${notHere}`, { ...driveFields, kind: kindOf('google_drive') }),
};
const presignedTarget = model('PresignedUrlTarget', 'Links to an artifact store; this service has none and refuses it.', { kind: kindOf('presigned_url') });

export const sources = union('kind', { file: fileSource, http: httpSource });

export const targets = union('kind', {
  inbody: model('InBodyTarget', 'The result in the answer.', { kind: kindOf('inbody') }),
  zip: model('ZipTarget', 'The result as a zip archive.', { kind: kindOf('zip') }),
  ...storageTargets,
  put: model('PutTarget', 'An address to put the result to; refused here.', { url: field(webUrl, 'The address.'), kind: kindOf('put') }),
  presigned_url: presignedTarget,
});

export const batchSources = union('kind', { http: anyHttpSource, ...storageSources });
export const batchTargets = union('kind', { ...storageTargets, presigned_url: presignedTarget });

const callbackFields = {
  url: field(webUrl, 'Address that progress is posted to.'),
  headers: field(mapOf(text), 'Headers of these posts.', {}),
  ca_cert: field(text, 'A certificate authority to trust, as PEM.', ''),
};
export type Callback = ModelOf<typeof callbackFields>;
export const callback = model('CallbackSpec', 'Where progress is posted; only hosts that the settings of the service name.', callbackFields);

