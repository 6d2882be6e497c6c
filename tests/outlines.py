"""A page as its tags and words, and what in it is not at rest."""

from html.parser import HTMLParser

VOID = {"meta", "input", "img", "br", "hr", "link"}
ACTIVE = ("script", "link", "iframe", "object", "embed", "base", "form", "foreignobject")


class Outline(HTMLParser):
    """Tags of a page in their order, and those that are not closed or never opened."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.wrong, self.words = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.words.append(data)

    def active(self):
        """Tags that run or load something, with their attributes."""
        for tag, attributes in self.tags:
            links = [attributes.get(name) or "#" for name in ("src", "href", "xlink:href")]
            inner = all(link.startswith(("#", "data:image/png")) for link in links)
            if tag in ACTIVE or not inner or any(name.startswith("on") for name in attributes):
                yield tag, attributes
