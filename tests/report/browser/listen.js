// Runs before everything else in the copy of a page. Records console messages, exceptions and failed loads.
window.said = [];
for (const level of ["error", "warn"]) {
  const say = console[level];
  console[level] = (...words) => {
    window.said.push(words.join(" "));
    say.apply(console, words);
  };
}
addEventListener(
  "error",
  (event) => window.said.push(event.message || `<${event.target.tagName.toLowerCase()}> does not load`),
  true,
);
addEventListener("unhandledrejection", (event) => window.said.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => window.said.push(`blocked: ${event.blockedURI}`));
