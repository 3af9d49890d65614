/** Every text of the page, in English. Another language is another object of this shape. */
import type { Kind } from './documents/model.js';

const kinds: Record<Kind, string> = {
  heading: 'Heading', text: 'Text', list: 'List item', table: 'Table', picture: 'Picture', code: 'Code', formula: 'Formula', caption: 'Caption', note: 'Footnote', furniture: 'Running header or footer',
};

export const texts = {
  places: { documents: 'Documents', chat: 'Chat', ask: 'Ask', host: 'Host' },
  navigation: 'Places of this page', skip: 'Skip to the content', reference: 'API', close: 'Close', cancel: 'Cancel', retry: 'Try again', remove: 'Remove', copy: 'Copy', copied: 'Copied',
  theme: { system: 'Colours of the system; click for light', light: 'Light; click for dark', dark: 'Dark; click for the colours of the system' },
  key: { button: 'Key', title: 'Your key', label: 'Key', keep: 'Use it', more: 'This host lets some callers in by a key, which its administrator gives out. It stays in this browser. Leave it empty where none is needed.' },
  kinds,
  errors: {
    unreachable: 'The service cannot be reached. Is it running?', unknown: 'It failed, and the service did not say why.',
    status: (status: number) => `The service answered with status ${status}.`,
  },
  documents: {
    list: 'Documents and options', open: 'The open document', none: 'Drop a document anywhere on this page. It becomes text that you can read, check against its pages, copy and ask about.', pick: 'Choose a document from the list.',
    drop: 'Choose documents', dropMore: 'or drop or paste them: PDF, scans, Office, web pages, mail, archives', dropHere: 'Drop to convert', choose: 'Files to convert', url: 'Address of a document', add: 'Add', badUrl: 'That is no http or https address.',
    count: (count: number) => (count === 1 ? '1 document' : `${count} documents`), clear: 'Clear ended', clearSure: (count: number) => `Remove ${count} ended documents from the list, and their results from the service?`,
    back: 'Back to the list', ask: 'Ask about it',
    waits: (position: number | null) => (position === null ? 'Waits' : `Waits, place ${position}`), pagesOf: (done: string, all: string) => `Page ${done} of ${all}`, pages: (count: string) => (count === '1' ? '1 page' : `${count} pages`),
    speed: (pages: string) => `${pages} pages/s`, left: (time: string) => `${time} left`, ignored: (names: string) => `Not used here: ${names}`,
    states: { waiting: 'Waits for its upload', uploading: 'Uploads', pending: 'Waits', running: 'Converts', done: 'Done', failed: 'Failed', cancelled: 'Cancelled' },
    fileGone: 'The service has this document no more. Add the file again.', expired: 'The result has expired, or was removed. Try again.', cutOff: 'The page was closed before the upload ended. Add the file again.',
  },
  options: {
    title: 'Options', more: 'All options', reset: 'Back to defaults', save: 'Save', presetName: 'Name of a preset', changed: (count: number) => `${count} changed`, removePreset: (name: string) => `Remove the preset ${name}`, firstPage: 'First page', lastPage: 'Last page',
    names: {
      force_ocr: 'Read every page as a scan', ocr_lang: 'Languages of scans', table_mode: 'Tables', page_range: 'Pages', do_formula_enrichment: 'Formulas as LaTeX', keep_furniture: 'Keep running headers and footers', pdf_password: 'Password of the PDF', do_ocr: 'Read text in pictures',
      ocr_preset: 'Reader of scans', pipeline: 'Way of converting', document_timeout: 'Time limit in seconds', do_table_structure: 'Find rows and columns of tables', include_images: 'Cut out pictures', images_scale: 'Scale of pictures',
    } as Record<string, string>,
  },
  viewer: {
    loading: 'Loads…', archive: 'This is an archive of several documents. Its result is a zip file.', empty: 'The document has no text.', nothing: 'Nothing could be read from this document.', pages: 'Pages of the document. j and k go from block to block.',
    page: (page: number) => `Page ${page}`, imageOf: (page: number) => `Image of page ${page}`, pictureOn: (page: number) => `Picture on page ${page}`, drawing: 'Draws the page…', confidence: 'Confidence', confidenceHelp: 'How sure the service is of what it read: 100 % where the text is the file\'s own.',
    goTo: 'Page', sides: 'What is shown', side: { image: 'Page', both: 'Both', text: 'Text' }, forms: 'Form of the text', form: { rendered: 'Read', source: 'Markdown' }, boxes: 'Boxes',
    copyMarkdown: 'Copy markdown', download: 'Download', formats: { md: 'Markdown', json: 'JSON (DoclingDocument)', html: 'HTML', txt: 'Plain text', doctags: 'DocTags', zip: 'All as zip' }, copyTsv: 'Copy as TSV', copyCsv: 'Copy as CSV',
  },
  again: {
    button: 'Read again', title: (page: number) => `Read page ${page} again`, asScan: 'As a scan: from the image of the page, whatever text it has', language: 'Languages', tables: 'Tables', accurate: 'with more care', fast: 'faster', reader: 'Reader of scans', read: 'Read the page', reading: 'Reads…', done: 'Read again',
  },
  models: {
    loaded: 'loaded', notLoaded: 'not loaded', loading: 'Loads…', unloading: 'Unloads…', load: 'Load', unload: 'Unload', takes: (memory: string, onDevice: boolean) => `takes ${memory} of ${onDevice ? 'the GPU' : 'memory'}`, wouldTake: (memory: string) => `would take ${memory}`, context: (tokens: string) => `${tokens} tokens of context`,
    demo: 'lectern-demo knows this service and nothing else. It cannot answer from documents: an administrator adds a larger model, for example with “lectern models pull qwen2.5:7b”.', demoChat: 'lectern-demo is a small model that knows this service and nothing else.', loadTime: (time: string) => `loads in about ${time}`, until: (time: string) => `loaded until ${time}`, ofPages: 'reads pages', embeds: 'embeddings', ranks: 'ranks', chats: 'chat', sees: 'images', estimate: 'With the context of the settings; ≈ is an estimate from the file',
  },
  chat: {
    fresh: 'New conversation', untitled: 'New conversation', history: 'Conversations', messages: 'Messages', you: 'You', model: 'Model', noModel: 'No model that chats is installed', write: 'Write a message', send: 'Send', stop: 'Stop', welcome: 'What would you like to know?',
    welcomeMore: 'The models run on this host, and conversations stay in this browser.', examples: ['What can you do?', 'How do I convert a PDF with curl?', 'Which formats can be converted?'],
    thought: 'Thinking', call: (name: string) => `Calls ${name}`, waits: (position: number) => `Waits, place ${position} in the queue`, begins: 'Begins…', edit: 'Edit', sendAgain: 'Send', before: 'The branch before', after: 'The next branch', goOn: 'Continue', goOnPrompt: 'Continue exactly where you stopped. Do not repeat anything.',
    stopped: 'Stopped', cut: 'Reached the limit of tokens', stats: (speed: string, first: string, tokens: string) => `${speed} tokens/s · first after ${first} s · ${tokens} tokens`, contextUsed: (used: string, left: string) => `${used} tokens used, ${left} left`, contextHelp: 'Of the model\'s context, after the last answer',
    settings: 'Settings', system: 'Instruction that comes before every conversation', usual: 'the model\'s own', reset: 'Back to defaults', attach: 'Attach images', attached: 'Attached image',
    sampling: { temperature: 'Temperature', top_p: 'Top p', top_k: 'Top k', min_p: 'Min p', repeat_penalty: 'Repeat penalty', max_tokens: 'Tokens at most', seed: 'Seed' },
    removeOne: (title: string) => `Remove the conversation ${title}`, exportAll: 'Export', importAll: 'Import', noImport: 'The file holds no conversations of this page.',
  },
  ask: {
    sources: 'Answer from', noDocuments: 'There is no converted document yet:', noneShown: 'The document that an answer cites is shown here.', welcome: 'Ask your documents', welcomeMore: 'Answers name the passages they come from. Click a number to see the place on its page. Nothing is stored beyond the results that the service keeps for a few hours.',
    write: 'Ask about the chosen documents', answer: 'Answer', passages: 'Passages', whole: 'From the whole text', byWords: 'From the passages with the most words in common (no model that makes embeddings is installed)', byMeaning: (name: string) => `From the nearest passages, by ${name}`,
    steps: { reading: 'Reads the documents…', searching: 'Searches…', waiting: 'Waits for the model…' }, guessed: 'The model named no passage. These have the most words in common with the answer:', cites: (number: number, page: number) => `Passage ${number}, page ${page}`, all: (count: number) => `All ${count} passages`, fewer: 'Cited passages only',
    instruction: 'Answer the question from the numbered passages only, in the language of the question, in a few sentences. After each statement name the passage it comes from by its number in square brackets, like [2]. If the passages do not answer the question, say so.', questionIs: 'Question:',
  },
  host: {
    youAre: (who: string, isAdministrator: boolean) => `You are ${who}${isAdministrator ? ', an administrator' : ''}`, tasksNow: 'Conversions', chatQueue: 'Chat', workers: 'Workers', modelMemory: 'Memory of models', results: 'Results on disk',
    running: (running: number) => `${running} running`, outcomes: { success: 'Done', partial_success: 'Done in part', failure: 'Failed', skipped: 'Skipped' } as Record<string, string>, waiting: (waiting: number) => `${waiting} waiting`, busyIdle: (busy: number, idle: number) => `${busy} busy, ${idle} idle`, of: (all: string) => `of ${all}`, freeOf: (all: string) => `free of ${all}`, kept: (count: number) => `${count} tasks kept`,
    pagesChart: 'Pages', tokensChart: 'Tokens generated', memoryChart: 'Memory', models: 'Models', modelHeads: ['Model', 'Kind', 'Size', 'Context', 'Memory', 'State', ''], allTasks: 'Tasks', ownTasks: 'Your tasks', noTasks: 'There are none.',
    taskHeads: ['Time', 'Task', 'Caller', 'Documents', 'Pages', 'State', 'Took', ''], failures: 'Requests that failed', noFailures: 'None since the service was started.', failureHeads: ['Time', 'Status', 'Request', 'Caller', 'Why', 'Request id'],
    access: 'Access', allowAll: 'Everyone may enter (--allow-all).', loopback: 'The service listens on this host alone, and every program of it is an administrator.', listIn: (file: string, roles: string) => `The list is ${file}. These roles may enter: ${roles}.`, who: 'Network or key', role: 'Role', keyOf: (name: string) => `Key of ${name}`, keysHow: 'A new key, on the host:',
    address: 'Address to test', key: 'Key, if any', test: 'Would it get in?', enters: (who: string, role: string | null) => `${who} gets in${role === null ? '' : ` as ${role}`}.`, staysOut: (who: string, role: string | null) => `${who} does not get in${role === null ? ': no line of the list fits' : `: the role ${role} may not enter`}.`,
  },
};
