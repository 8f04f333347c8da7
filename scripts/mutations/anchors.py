# SPDX-License-Identifier: Apache-2.0
"""Finds a piece of source by its text.

A text is looked for in all of Sources. White space is ignored, except between two words. An anchor therefore remains
valid if its file gets a new name, or moves to another folder or target, or if lines are broken elsewhere. A text that
occurs more than once is narrowed by a scope: the name of a type, function or property (`Passwords`, `check`,
`Passwords.check`), or of a file.
"""
import bisect
import re
import typing

# A declaration that can contain an anchor, with its indentation and its name.
DECLARATION = re.compile(
    r"^( *)(?:@\w+(?:\([^)\n]*\))? |[a-z]+(?:\(\w+\))? )*"
    r"(?:struct|class|enum|actor|protocol|extension|func|var) `?([\w.]+)`?", re.MULTILINE)
# The beginnings of lines that continue the declaration of an earlier line with the same indentation.
CONTINUATION = (")", "]", "}", "{", "where ", "->", "#")


class Place(typing.NamedTuple):
    """A part of a source file."""
    file: str
    start: int
    end: int


class Squeezed:
    """A text without the white space that separates no words, and, for each position, the offset in the original
    text."""

    def __init__(self, text):
        self.starts, self.origins, parts, length, position = [], [], [], 0, 0
        for space in re.finditer(r"\s+|\Z", text):
            before, after = text[space.start() - 1:space.start()], text[space.end():space.end() + 1]
            parts.append(text[position:space.start()])
            self.starts.append(length)
            self.origins.append(position)
            length += len(parts[-1])
            position = space.end()
            if is_word(before) and is_word(after):
                parts.append(" ")
                self.starts.append(length)
                self.origins.append(space.start())
                length += 1
        self.text = "".join(parts)

    def origin(self, position):
        part = bisect.bisect_right(self.starts, position) - 1
        return self.origins[part] + position - self.starts[part]


def is_word(character):
    return character.isalnum() or character == "_"


def spans(squeezed, anchor):
    """Where the anchor is in the text, as pairs of offsets. Words are found whole."""
    wanted, text, found = Squeezed(anchor).text, squeezed.text, []
    position = text.find(wanted) if wanted else -1
    while position >= 0:
        end = position + len(wanted)
        is_whole = not (is_word(wanted[0]) and is_word(text[position - 1:position]))
        if is_whole and not (is_word(wanted[-1]) and is_word(text[end:end + 1])):
            found.append((squeezed.origin(position), squeezed.origin(end - 1) + 1))
        position = text.find(wanted, position + 1)
    return found


def declarations(text):
    """The declarations of a file, as triples of full name, start and end. scripts/format guarantees the indentation."""
    found, outer = [], []
    for match in DECLARATION.finditer(text):
        start, indentation = match.start(), len(match[1])
        while outer and outer[-1][2] <= start:
            outer.pop()
        name = ".".join([entry[0] for entry in outer[-1:]] + [match[2]])
        found.append((name, start, end_of_declaration(text, start, indentation)))
        outer.append(found[-1])
    return found


def end_of_declaration(text, start, indentation):
    position = text.find("\n", start) + 1
    while 0 < position < len(text):
        after = text.find("\n", position)
        after = len(text) if after < 0 else after
        line = text[position:after]
        depth = len(line) - len(line.lstrip(" "))
        if line.strip() and depth <= indentation:
            if depth < indentation or not line.lstrip(" ").startswith(CONTINUATION):
                return position
            if line.startswith("}", depth):
                return after
        position = after + 1
    return len(text)


class Sources:
    """The Swift sources, by their paths."""

    def __init__(self, texts):
        self.texts = texts
        self.squeezed = {file: Squeezed(text) for file, text in self.texts.items()}

    @staticmethod
    def of_package(root):
        return Sources({str(file.relative_to(root)): file.read_text() for file in sorted((root / "Sources").rglob("*.swift"))})

    def regions(self, scope):
        """The parts of the sources that a scope names. The name of a type covers its extensions, too."""
        if scope is None:
            return [Place(file, 0, len(text)) for file, text in self.texts.items()]
        if scope.endswith(".swift"):
            return [Place(file, 0, len(text)) for file, text in self.texts.items() if ("/" + file).endswith("/" + scope)]
        last = scope.split(".")[-1]
        return [Place(file, start, end) for file, text in self.texts.items() if last in text
                for name, start, end in declarations(text) if ("." + name).endswith("." + scope)]

    def find(self, anchor, scope=None):
        """All places of the anchor in the scope."""
        wanted, found = Squeezed(anchor).text, set()
        for file, start, end in self.regions(scope):
            if wanted in self.squeezed[file].text:
                found |= {Place(file, *span) for span in spans(self.squeezed[file], anchor) if start <= span[0] and span[1] <= end}
        return sorted(found)

    def line(self, place):
        return f"{place.file}:{self.texts[place.file].count(chr(10), 0, place.start) + 1}"
