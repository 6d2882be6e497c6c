"""A page in a browser: what it does, what can be read, and how it is printed."""

import io
import re

from PIL import Image

LEAST_LETTER = 9  # pixels
PATIENCE = 120_000  # milliseconds, also where other programs keep the machine busy
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


class Watched:
    """A page that is open, and everything that it did."""

    def __init__(self, browser, path, theme="light", width=1280):
        self.context = browser.new_context(
            color_scheme=theme, viewport={"width": width, "height": 800}
        )
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.address = path if isinstance(path, str) else path.as_uri()
        self.events = []
        self.page.on("console", lambda message: self.events.append(message.text))
        self.page.on("pageerror", lambda error: self.events.append(str(error)))
        self.page.on("dialog", self._dismiss)
        self.page.on("requestfailed", lambda request: self.events.append(f"failed {request.url}"))
        self.page.on("request", self._note)
        self.page.goto(self.address)

    def _dismiss(self, dialog):
        self.events.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _note(self, request):
        if not request.url.startswith((self.address, "data:")):
            self.events.append(f"request {request.url}")

    def sideways(self):
        return self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )

    def faint(self):
        """Text that stands out by less than 4.5 to 1."""
        return self.page.evaluate(FAINT_TEXT)

    def picture(self):
        return Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")

    def unfold(self):
        self.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")

    def small_letters(self):
        """Texts of figures that are smaller than can be read, with their size in pixels."""
        found = self.page.evaluate(LETTERS)
        assert found, "the page has no figure"
        return [(text, size) for text, size in found if size < LEAST_LETTER - 0.05]

    def printed(self):
        """Number of pages on paper, and headings whose content begins on another page."""
        self.page.emulate_media(media="print")
        names = self.page.evaluate(MARK_HEADINGS)
        paper = self.page.pdf(prefer_css_page_size=False, format="A4")
        page = dict(re.findall(rb"/(place-\d+) \[(\d+) 0 R", paper))
        pairs = [
            (page[f"place-{2 * n}".encode()], page[f"place-{2 * n + 1}".encode()])
            for n in range(len(names))
        ]
        alone = [name for name, (head, body) in zip(names, pairs, strict=True) if head != body]
        return paper.count(b"/Type /Page\n"), alone


# Text in figures that is black or white stands on a colour that was chosen for it; all other text
# of figures has the colour of the theme.
FAINT_TEXT = """() => {
  const parts = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parts(getComputedStyle(e).backgroundColor);
      if (colour.length == 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = [...element.childNodes].filter(n => n.nodeType == 3 && n.data.trim());
    if (!own.length) continue;
    const style = getComputedStyle(element), inFigure = element instanceof SVGElement;
    const ink = parts(inFigure ? style.fill : style.color);
    if (inFigure && (ink.join() == "0,0,0" || ink.join() == "255,255,255")) continue;
    const [a, b] = [light(ink), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push([own[0].data.trim().slice(0, 40), ratio]);
  }
  return found;
}"""

LETTERS = """() => [...document.querySelectorAll(".drawing svg text")]
  .filter(text => text.textContent.trim() && text.checkVisibility())
  .map(text => {
    const svg = text.ownerSVGElement, size = parseFloat(getComputedStyle(text).fontSize);
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return [text.textContent, scale * size];
  })"""

# A link to a place makes the PDF name the page of that place.
MARK_HEADINGS = """() => {
  const box = document.createElement("div");
  box.style = "position: absolute; top: 0; font-size: 1px";
  document.querySelector("main").prepend(box);
  let number = 0;
  const mark = element => {
    const place = document.createElement("a"), link = document.createElement("a");
    place.id = `place-${number++}`;
    link.href = `#${place.id}`;
    link.textContent = ".";
    (element.matches("tr") ? element.cells[0] : element).prepend(place);
    box.append(link);
  };
  const seen = selector =>
    [...document.querySelectorAll(selector)].filter(element => element.checkVisibility());
  const bodies = seen("figure, tbody tr, main li, dl div, pre, .note");
  return seen("h2, h3, h4").map(heading => {
    mark(heading);
    mark(bodies.find(e => heading.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING));
    return heading.textContent;
  });
}"""
