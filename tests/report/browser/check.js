// Appended to a copy of the page that runs in a frame. Checks the page as a browser renders it, and writes its findings
// into the surrounding page, so that the dumped document contains them. Runs after the page has loaded, and the
// surrounding page waits for it.
addEventListener("load", () => {
  "use strict";
  const findings = [];
  const say = (what, where) => findings.push(`${what}: ${where}`);
  const counts = { texts: 0, links: 0, charts: 0, labels: 0, scrollers: 0, scrolling: 0 };

  const named = (element) => {
    const text = (element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 60);
    const section = element.closest("section[id]");
    return `<${element.tagName.toLowerCase()}> ${text ? `"${text}"` : ""}${section ? ` in #${section.id}` : ""}`;
  };

  // ---- Page width and overflow ----

  const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
  const scrollerOf = (element) => {
    for (let up = element.parentElement; up && up !== document.body; up = up.parentElement) {
      if (scrolls(up)) return up;
    }
    return null;
  };

  function sideways(state) {
    const width = window.innerWidth;
    const whole = document.documentElement.scrollWidth;
    if (whole > width) say("page scrolls sideways", `${whole} px in ${width} px, folds ${state}`);
    for (const element of document.body.querySelectorAll("*")) {
      if (element.ownerSVGElement) continue;
      const box = element.getBoundingClientRect();
      if (box.width > 0 && (box.right > width + 1 || box.left < -1) && !scrollerOf(element)) {
        say("wider than the page", `${named(element)}, from ${box.left} to ${box.right} px`);
      }
    }
  }

  function scrollers() {
    for (const element of document.querySelectorAll("table, pre, svg.chart")) {
      const scroller = scrolls(element) ? element : scrollerOf(element);
      if (!scroller) {
        say("has nothing to scroll in", named(element));
        continue;
      }
      counts.scrollers += 1;
      if (scroller.scrollWidth <= scroller.clientWidth) continue;
      counts.scrolling += 1;
      if (scroller.tabIndex < 0) say("scrolls, but not by keyboard", named(element));
      // A sticky column must leave room for the columns that scroll past it.
      const stays = element.querySelector("tbody th");
      if (stays && getComputedStyle(stays).position === "sticky") {
        const share = stays.getBoundingClientRect().width / scroller.clientWidth;
        if (share > 0.6) say("leaves no room for its columns", `${named(stays)} takes ${share.toFixed(2)} of the width`);
      }
    }
  }

  // ---- Links and loads ----

  const elsewhere = [];
  function links() {
    for (const link of document.querySelectorAll("a[href]")) {
      counts.links += 1;
      const href = link.getAttribute("href");
      if (!href.startsWith("#")) {
        elsewhere.push(href);
        continue;
      }
      const target = document.getElementById(decodeURIComponent(href.slice(1)));
      if (!target) say("link without a target", href);
      else if (!target.getClientRects().length) say("link to what is not shown", href);
    }
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    ids.forEach((id, at) => {
      if (ids.indexOf(id) !== at) say("id given twice", id);
    });
  }

  function loads() {
    for (const attribute of ["src", "srcset", "data", "poster", "background"]) {
      for (const element of document.querySelectorAll(`[${attribute}]`)) {
        if (!element.getAttribute(attribute).startsWith("data:")) say("loads something", named(element));
      }
    }
    for (const element of document.querySelectorAll("link[href], svg use, svg image, iframe, script[src]")) {
      say("loads something", named(element));
    }
    for (const style of document.querySelectorAll("style")) {
      if (/url\(|@import/.test(style.textContent)) say("loads something", "a style sheet");
    }
    for (const entry of performance.getEntriesByType("resource")) say("loaded something", entry.name);
  }

  // ---- Contrast (WCAG 2.1, 1.4.3) ----

  function colour(text) {
    const parts = text.match(/^rgba?\(([^)]+)\)$/);
    if (!parts) return null;
    const numbers = parts[1].split(/[\s,/]+/).map(Number);
    return numbers.length === 3 ? [...numbers, 1] : numbers;
  }
  const over = (top, below) =>
    [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  function luminance(rgb) {
    const part = (c) => {
      const share = c / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(rgb[0]) + 0.7152 * part(rgb[1]) + 0.0722 * part(rgb[2]);
  }
  function contrast(one, other) {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  }
  function opacity(element) {
    let product = 1;
    for (let up = element; up; up = up.parentElement) product *= Number(getComputedStyle(up).opacity);
    return product;
  }

  // The background colour of an element, blended with the backgrounds below it. The shade at the edge of a scrolling
  // element is an image and is ignored.
  function behind(element) {
    const layers = [];
    for (let up = element; up; up = up.parentElement) {
      const layer = colour(getComputedStyle(up).backgroundColor);
      if (layer && layer[3] > 0) layers.push(layer);
      if (layer && layer[3] === 1) break;
    }
    if (!layers.length || layers[layers.length - 1][3] !== 1) return null;
    return layers.reverse().reduce((below, top) => over(top, below));
  }

  // The colour behind a chart label: the shapes that were painted before it and contain its centre.
  function paintedBelow(text) {
    const box = text.getBBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    let found = null;
    for (const shape of text.ownerSVGElement.querySelectorAll("rect, circle, polygon, path, text")) {
      if (shape === text) break;
      if (shape.tagName === "text") continue;
      const fill = colour(getComputedStyle(shape).fill);
      const own = shape.getBBox();
      const holds = own.x <= x && x <= own.x + own.width && own.y <= y && y <= own.y + own.height;
      if (holds && fill && fill[3] > 0) found = found ? over(fill, found) : fill;
    }
    return found || behind(text.ownerSVGElement);
  }

  function texts() {
    const seen = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (!node.data.trim() || ["SCRIPT", "STYLE", "title"].includes(element.tagName)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const style = getComputedStyle(element);
      if (!range.getClientRects().length || style.visibility === "hidden") continue;
      counts.texts += 1;
      const inChart = Boolean(element.ownerSVGElement);
      const ink = colour(inChart ? style.fill : style.color);
      const ground = inChart ? paintedBelow(element) : behind(element);
      if (!ink || !ground) {
        say("colour cannot be read", named(element));
        continue;
      }
      ink[3] *= opacity(element) * (inChart ? Number(style.fillOpacity) : 1);
      const ratio = contrast(over(ink, ground), ground);
      const scale = inChart ? Math.abs(element.getScreenCTM().a) : 1;
      const size = parseFloat(style.fontSize) * scale;
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const least = large ? 3 : 4.5;
      const line = `${ratio.toFixed(2)} of ${least}, rgb(${ink.slice(0, 3)}) on rgb(${ground.slice(0, 3).map(Math.round)})`;
      if (ratio < least && !seen.has(line)) {
        seen.add(line);
        say("too little contrast", `${line}, ${named(element)}`);
      }
    }
  }

  // ---- Charts ----

  function charts(letters) {
    for (const chart of document.querySelectorAll("svg.chart")) {
      const title = (chart.querySelector("title") || chart).textContent.slice(0, 60);
      const view = chart.viewBox.baseVal;
      const labels = [...chart.querySelectorAll("text")].map((text) => ({
        text: text.textContent.trim(),
        box: text.getBBox(),
      }));
      // A text box has a margin above and below its letters. Reduce it, so that small overlaps do not count.
      for (const { box } of labels) {
        const room = box.height * 0.15;
        box.y += room;
        box.height -= 2 * room;
      }
      labels.forEach(({ text, box }, at) => {
        const outside =
          box.x < view.x || box.y < view.y || box.x + box.width > view.x + view.width ||
          box.y + box.height > view.y + view.height;
        if (outside) say("text leaves its chart", `"${text}" in "${title}", in ${letters}`);
        for (const other of labels.slice(at + 1)) {
          const wide = Math.min(box.x + box.width, other.box.x + other.box.width) - Math.max(box.x, other.box.x);
          const high = Math.min(box.y + box.height, other.box.y + other.box.height) - Math.max(box.y, other.box.y);
          if (wide > 0 && high > 0) {
            say("texts overlap", `"${text}" and "${other.text}" in "${title}", in ${letters}`);
          }
        }
      });
    }
  }

  for (const line of window.said) say("said on the console", line);
  sideways("closed");
  // Measure the page with its folds closed: its height, and the end of the results section.
  const height = document.documentElement.scrollHeight;
  const shown = document.getElementById("results");
  const results = shown && Math.round(shown.getBoundingClientRect().bottom + window.scrollY);
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  sideways("open");
  scrollers();
  links();
  loads();
  texts();
  charts("this machine's letters");
  // The reader's fonts are unknown, so also test the widest common fonts.
  for (const text of document.querySelectorAll("svg.chart text")) {
    text.style.fontFamily = '"DejaVu Sans", Verdana, sans-serif';
  }
  charts("wide letters");
  counts.charts = document.querySelectorAll("svg.chart").length;
  counts.labels = document.querySelectorAll("svg.chart text").length;
  const found = {
    width: window.innerWidth,
    height,
    results,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    counts,
    links: elsewhere,
    findings,
  };
  const place = window.parent.document.createElement("script");
  place.type = "application/json";
  place.className = "found";
  // The text must not contain the end tag of this element.
  place.textContent = JSON.stringify(found).replace(/</g, "\\u003c");
  window.parent.document.body.append(place);
});
