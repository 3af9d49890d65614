/** Swagger UI comes without types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export default function SwaggerUi(options: Record<string, unknown>): unknown;
}
