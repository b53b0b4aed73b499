// main.js: the page.
