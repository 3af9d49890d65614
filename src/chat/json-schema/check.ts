/** Whether a finished answer is valid for a schema of which its grammar could not hold all. */
import { Ajv, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** One value of an answer and the schema that it is to be valid for. */
export interface SchemaQuestion {
  schema: unknown;
  /** A JSON document. */
  text: string;
  /** What stands before each sentence, such as the id of a call; empty for the answer itself. */
  where: string;
}

/** As many as a client reads. */
const mostErrors = 10;
const longestError = 300;
/** Quotients of doubles that are this near to a whole number are one: 19.99 is a multiple of 0.01. */
const multipleOfPrecision = 9;

const options: Options = {
  strict: false, validateSchema: false, meta: false, addUsedSchema: false, allErrors: false, logger: false, multipleOfPrecision,
  code: { regExp: Object.assign(patternOf, { code: 'patternOf' }) },
};

/** ECMA-262 knows more escapes without the flag `u`, and people write them. */
function patternOf(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    return new RegExp(source);
  }
}

/**
 * Sentences about what is not valid; none for valid values. Schemas are read as of JSON Schema 2020-12, and as of draft 7 where they are none of that, by ajv. Never throws for
 * a schema that cannot be read: that is a sentence, too. The time is not bounded here.
 */
export function schemaErrors(questions: readonly SchemaQuestion[]): string[] {
  return questions.flatMap(({ schema, text, where }) => errorsOf(schema, text).map((sentence) => `${where}${sentence}`.slice(0, longestError))).slice(0, mostErrors);
}

function errorsOf(schema: unknown, text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return ['The answer is no whole JSON document.'];
  }
  let failure: unknown;
  for (const Validator of [Ajv2020, Ajv]) {
    try {
      const ajv = new Validator(options);
      (addFormats as unknown as (ajv: Ajv) => void)(ajv);
      const validate = ajv.compile(schema as object);
      if (validate(value) === true) return [];
      return (validate.errors ?? []).map(({ instancePath, schemaPath, message }) => `${instancePath === '' ? 'The value' : instancePath} ${message ?? 'is not valid'} (${schemaPath}).`);
    } catch (thrown) {
      failure ??= thrown;
    }
  }
  return [`The schema could not be checked: ${(failure as Error).message}.`];
}
