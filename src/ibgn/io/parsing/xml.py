"""XML as a tree, read without entities and network access, and within limits of size and depth."""

from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from ibgn._files import InputFile
from ibgn.errors import DataError
from ibgn.text import printable

__all__ = ["parse_xml"]

DEEPEST = 100  # elements within elements
LONGEST = 1 << 24  # bytes of a tag, which is read from its start with each chunk
ELEMENT = 300  # bytes that an element takes, in the tree and in what is made of it
ATTRIBUTE = 150
CHARACTER = 8  # of text: up to four bytes, which are there twice when its pieces are joined
CHUNK = 1 << 20


def parse_xml(file: InputFile) -> Element:
    """Root of the tree of a file; one whose document type declares entities is refused.

    One that only lists elements and attributes does no harm; Apple Health writes it.

    A file that says it is UTF-16 and is not was saved by an editor as UTF-8.
    """
    try:
        try:
            return _parse(file, None)
        except expat.ExpatError as error:
            if error.code != expat.errors.codes[expat.errors.XML_ERROR_INCORRECT_ENCODING]:
                raise
            return _parse(file, "utf-8")
    except (expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{file.prefix}the file is not XML: {printable(error, 200)}; export it again"
        ) from error


def _parse(file: InputFile, encoding: str | None) -> Element:
    builder = TreeBuilder()
    parser = _parser(builder, file, encoding)
    with file.open() as stream:
        size = 0
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            parser.Parse(chunk, False)
            if size - parser.CurrentByteIndex > LONGEST:
                raise DataError(
                    f"{file.prefix}a tag or a comment is longer than {LONGEST} bytes; export it "
                    "again"
                )
        parser.Parse(b"", True)
    root: Element = builder.close()
    return root


def _parser(builder: TreeBuilder, file: InputFile, encoding: str | None) -> Any:
    parser = expat.ParserCreate(encoding)
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    prefix, allowance = file.prefix, file.allowance
    depth = memory = 0

    def take(more: int) -> None:
        nonlocal memory
        memory += more
        if memory > allowance.memory:
            read = max(parser.CurrentByteIndex, 1)
            allowance.need(memory * file.tally().size / read, "the tree of its elements")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        take(ELEMENT + sum(ATTRIBUTE + 4 * len(value) for value in attributes.values()))
        if depth > DEEPEST:
            raise DataError(
                f"{prefix}elements are nested more than {DEEPEST} deep; export it again"
            )
        builder.start(tag, attributes)

    def data(text: str) -> None:
        take(CHARACTER * len(text))
        builder.data(text)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def refuse(*_: Any) -> None:
        raise DataError(
            f"{prefix}the file declares a document type, through which XML can do harm; "
            "remove the <!DOCTYPE ...> and read it again"
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = data

    # a document type in another file is only named, never read
    parser.EntityDeclHandler = refuse
    parser.NotationDeclHandler = parser.UnparsedEntityDeclHandler = refuse
    return parser
