/** Errors of a conversion in the contract's words. */
import { asDiskFull } from '../platform/disk-full.js';
import { asLecternError } from '../errors.js';
import type { LecternError } from '../errors.js';
import type { ConversionError, ErrorCategory, ErrorComponent } from './result.js';

/** An entry for `errors`; `pageNumber` from 1, null for the whole document. */
export function conversionError(
  component: ErrorComponent, module: string, category: ErrorCategory, message: string, pageNumber: number | null = null,
): ConversionError {
  return { component_type: component, module_name: module, error_message: message, category, page_no: pageNumber };
}

const categories: Partial<Record<LecternError['code'], ErrorCategory>> = {
  invalid_document: 'backend_failure', password_required: 'backend_failure', unsupported_format: 'policy', too_large: 'capacity',
  out_of_memory: 'capacity', queue_full: 'capacity', timeout: 'timeout', device_lost: 'inference_failure', invalid_request: 'policy',
};

/** An error thrown while a document was read. For a defect only the public sentence is reported. */
export function errorOf(thrown: unknown, module: string, pageNumber: number | null = null): ConversionError {
  const { code, message } = asLecternError(asDiskFull(thrown));
  return conversionError('document_backend', module, categories[code] ?? 'internal', message, pageNumber);
}
