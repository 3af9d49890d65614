/**
 * A lint rule against files that know too much: it counts the import declarations of a file whose module is one of this project (its path begins with a dot), types included, and
 * reports files with more than `most` of them. Such a file is split by idea.
 */
const imports = {
  meta: {
    type: 'suggestion',
    docs: { description: 'limit the imports from this project of one file' },
    schema: [{ type: 'object', properties: { most: { type: 'integer', minimum: 1 } }, additionalProperties: false }],
    messages: { tooMany: 'The file has {{count}} imports from this project; at most {{most}} are allowed. Split it by idea.' },
  },
  create(context) {
    const most = context.options[0]?.most ?? 15;
    return {
      Program(node) {
        const own = node.body.filter(({ type, source }) => (type === 'ImportDeclaration' || type === 'ExportNamedDeclaration' || type === 'ExportAllDeclaration') && source?.value.startsWith('.'));
        if (own.length > most) context.report({ node: own[most], messageId: 'tooMany', data: { count: String(own.length), most: String(most) } });
      },
    };
  },
};

export default { rules: { imports } };
