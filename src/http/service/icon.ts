/** An open book, in SVG. */
export const icon = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e6e"/>'
  + '<path d="M7 10l9-3 9 3v13l-9 3-9-3z" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/><path d="M16 7v19" stroke="#fff" stroke-width="2"/></svg>';
