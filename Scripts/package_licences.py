"""The licences of the code that is linked into the program: of the packages in SwiftPM's checkouts, of the C sources that they
contain, and of the Swift runtime. Code with a licence that is not known here stops the build of a package.

Used by make-package.py; `python3 Scripts/package_licences.py CHECKOUTS TOOLCHAIN` prints the result.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# A licence by a phrase of its text, the most specific first.
KNOWN = (
    ("Apache-2.0 with Runtime Library Exception", r"Runtime Library Exception to the Apache 2\.0 License"),
    ("Apache-2.0", r"Apache License,? +(?:Version +)?2\.0|SPDX-License-Identifier: Apache-2\.0|\bApache License +Version 2\.0"),
    ("MIT", r"Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated"),
    ("MIT", r"^\S.{0,200} LICENSE: MIT$"),
    ("Brian-Gladman-3-Clause", r"The redistribution and use of this software \(with or without changes\) is allowed"),
    ("ISC", r"Permission to use, copy, modify, and/or distribute this software for any purpose"),
    ("ISC", r"Permission to use, copy, modify, and distribute this software for any purpose"),
    ("BSD-3-Clause", r"Redistribution and use in source and binary forms.{0,1200}(?:Neither the name|may not be used to endorse|The name of the author)"),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
    ("Zlib", r"see copyright notice in zlib\.h|This software is provided 'as-is', without any express or implied warranty"),
    ("CC0-1.0", r"CC0|[Pp]ublic ?[Dd]omain"),
    ("Unicode-3.0", r"UNICODE LICENSE V3"),
)
# Files of a checkout that state a licence or a notice.
STATEMENTS = re.compile(r"^(licen[cs]e|notice|copying)(\.(txt|md))?$", re.IGNORECASE)
SOURCES = {".c", ".h", ".s", ".cc", ".cpp"}


class UnknownLicence(Exception):
    """Code whose licence is not in KNOWN."""


def words(text):
    """The text with single spaces and without the marks of comments, as licences are wrapped differently everywhere."""
    return re.sub(r"\s+", " ", re.sub(r"(?m)^\s*(?://+|\*+|#+|;+)", " ", text)).strip()


def licence(text, name):
    """The licence that a text states. Raises UnknownLicence."""
    plain = words(text)
    for found, phrase in KNOWN:
        if re.search(phrase, plain):
            return found
    raise UnknownLicence(f"{name}: its licence is not known; read it, and add it to Scripts/package_licences.py")


def header(text):
    """The comments at the beginning of a C source, or an empty text."""
    found = re.match(r"\s*((?:/\*.*?\*/\s*|(?://|#|;)[^\n]*\n\s*)+)", text, re.DOTALL)
    kept = []
    for comment in re.findall(r"/\*.*?\*/|(?:(?:^|(?<=\n))[ \t]*//[^\n]*\n?)+", found[1] if found else "", re.DOTALL):
        if re.search(r"copyright|licen[cs]e", comment, re.IGNORECASE):
            kept.append(re.sub(r"(?m)^[ \t]*(?:/\*+|\*+/|\*|//+)[ \t]?|\*/", "", comment).strip())
    return "\n\n".join(kept)


def is_left_out(path):
    """Whether a path of a checkout is not linked: its tests, benchmarks, examples and documents."""
    return any(re.search(r"^\.git$|^(unit)?tests?$|benchmark|^examples?$|^docs?$|^scripts?$|^integrationtests?$", part, re.IGNORECASE)
               for part in path.parts[:-1])


class Component:
    """A package with the licences of it and of the C sources in it."""

    def __init__(self, name):
        self.name, self.licences, self.texts = name, set(), []

    def add(self, title, text, name):
        self.licences.add(licence(text, name))
        self.texts.append((title, text.strip()))


def component(folder):
    """Reads one checkout."""
    result = Component(folder.name)
    headers = {}
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if is_left_out(place) or not path.is_file() or path.is_symlink():
            continue
        if STATEMENTS.match(path.name):
            text = path.read_text(encoding="utf-8")
            if path.name.lower().startswith("notice"):
                result.texts.append((str(place), text.strip()))
            else:
                result.add(str(place), text, f"{folder.name}/{place}")
        elif path.suffix.lower() in SOURCES:
            text = header(path.read_text(encoding="utf-8", errors="replace")[:20_000])
            if text:
                headers.setdefault(text, place)
    if not result.licences:
        raise UnknownLicence(f"{folder.name}: it has no file with its licence")
    for text, place in headers.items():
        found = licence(text, f"{folder.name}/{place}") if not is_reference(text) else None
        if found and found not in ("Apache-2.0", "Apache-2.0 with Runtime Library Exception"):
            result.licences.add(found)
            result.texts.append((f"{place} and other files", text))
    return result


def is_reference(text):
    """Whether a header refers to the package's own statement only."""
    return re.search(r"See LICENSE\.txt|Licensed under Apache License v2\.0|See https?://swift\.org/LICENSE", words(text)) is not None


def components(checkouts, toolchain):
    """All linked components: those of the checkouts, the Swift runtime, and Unicode's ICU in it."""
    folders = sorted((path for path in Path(checkouts).iterdir() if path.is_dir()), key=lambda path: path.name.lower())
    if not folders:
        raise UnknownLicence(f"{checkouts} has no checkouts; build the program first")
    result = [component(folder) for folder in folders]
    statement = Path(toolchain) / "usr" / "share" / "swift" / "LICENSE.txt"
    runtime = Component("Swift runtime, Foundation and libdispatch")
    runtime.add("LICENSE.txt", statement.read_text(encoding="utf-8"), str(statement))
    unicode = Component("ICU, in Foundation")
    texts = ROOT / "Packaging" / "licences"
    unicode.add("LICENSE", (texts / "Unicode-3.0.txt").read_text(encoding="utf-8"), "ICU")
    unicode.texts.append(("LICENSE, code and word lists of others", (texts / "ICU-third-party.txt").read_text(encoding="utf-8").strip()))
    return result + [runtime, unicode]


def full_text(found):
    """All licence texts and notices, one component after the other."""
    parts = ["Licences and notices of the code that is linked into tributary. The libraries of the system are not in it: each has"
             "\nits own licence in /usr/share/doc.\n"]
    shown = {}
    for one in found:
        parts.append("=" * 100 + f"\n{one.name}: {', '.join(sorted(one.licences))}\n" + "=" * 100 + "\n")
        for title, text in one.texts:
            first = shown.setdefault(text, f"{one.name}, {title}")
            same = first != f"{one.name}, {title}"
            parts.append(f"{title}\n{'-' * len(title)}\n\n{'The same text as that of ' + first + '.' if same else text}\n")
    return "\n".join(parts)


def copyright_file(found):
    """Debian's machine-readable file: the licence of each component, and where the full texts are."""
    lines = ["Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/", "Upstream-Name: tributary",
             "Comment: The program contains the code of the components below. Their full licences and notices are in",
             " /usr/share/doc/tributary/linked-code.txt.gz.", "", "Files: *", "Copyright: 2026 the Tributary authors",
             "License: Apache-2.0", ""]
    for one in found:
        if one.name.startswith(("Swift runtime", "ICU")):
            continue
        lines += [f"Files: {one.name}/*", f"Copyright: {holder(one)}",
                  "License: " + " and ".join(short(name) for name in sorted(one.licences)), ""]
    for name, holders in (("swift-runtime", "Apple Inc. and the Swift project authors"), ("icu", "2016-2024 Unicode, Inc.")):
        names = {"swift-runtime": "Apache-2.0-with-Swift-exception", "icu": "Unicode-3.0"}
        lines += [f"Files: {name}/*", f"Copyright: {holders}", f"License: {names[name]}"]
        if name == "icu":
            lines += ["Comment: Word lists and code of others in it have licences of their own; they are in linked-code.txt.gz."]
        lines += [""]
    used = sorted({short(name) for one in found for name in one.licences})
    for name in used:
        lines += [f"License: {name}"]
        if name.startswith("Apache-2.0"):
            if name != "Apache-2.0":
                lines += [" Apache License, Version 2.0, with this exception: if you use this Software to compile your source",
                          " code and portions of this Software are embedded into the binary product as a result, you may",
                          " redistribute such product without providing attribution as would otherwise be required by",
                          " Sections 4(a), 4(b) and 4(d) of the License.", " ."]
            lines += [" On Debian systems the text of the Apache License, Version 2.0, is in",
                      " /usr/share/common-licenses/Apache-2.0.", ""]
        else:
            text = max((text for one in found for title, text in one.texts if states(text, name)), key=len)
            lines += [" " + (line.rstrip() or ".") for line in text.splitlines()] + [""]
    return "\n".join(lines)


def states(text, name):
    try:
        return short(licence(text, "")) == name
    except UnknownLicence:
        return False


def short(name):
    return {"Apache-2.0 with Runtime Library Exception": "Apache-2.0-with-Swift-exception"}.get(name, name)


def holder(one):
    """The first holder that a component names."""
    for _, text in one.texts:
        for line in re.findall(r"(?m)^\W*Copyright (?:\([cC]\) )?([^\n]*\d{4}[^\n]*)$", text):
            if "[yyyy]" not in line:
                return line.strip().rstrip(".")
    return "its authors, as named in /usr/share/doc/tributary/linked-code.txt.gz"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        print(full_text(components(sys.argv[1], sys.argv[2])))
    except UnknownLicence as error:
        sys.exit(f"package_licences: {error}")
