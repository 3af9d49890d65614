/** The API reference: Swagger UI over the service's own description, with examples in curl, Python and JavaScript. Nothing is fetched from elsewhere. */
import SwaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './style/reference.css';
import { javascriptOf, pythonOf, type Example } from './lib/snippets.js';

const languages = { curl_bash: { title: 'curl', syntax: 'bash' }, python: { title: 'Python', syntax: 'python' }, javascript: { title: 'JavaScript', syntax: 'javascript' } };

SwaggerUi({
  url: 'openapi.json',
  domNode: document.getElementById('reference'),
  deepLinking: true,
  filter: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  requestSnippetsEnabled: true,
  requestSnippets: { generators: languages, defaultExpanded: true, languages: null },
  plugins: [{ fn: { requestSnippetGenerator_python: (request: Example) => pythonOf(request), requestSnippetGenerator_javascript: (request: Example) => javascriptOf(request) } }],
});
