"""The manual pages of the program, from the description of its commands that `tributary --experimental-dump-help` prints.

Used by make-package.py; `python3 Scripts/package_manual.py BINARY FOLDER` writes them into a folder. The program itself has a page,
and each of its commands has one with all of its subcommands.
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path


def described(binary):
    """What a program reports about its commands."""
    done = subprocess.run([str(binary), "--experimental-dump-help"], capture_output=True, check=True, timeout=120)
    return json.loads(done.stdout)["command"]


def escaped(text):
    """Text for roff: no character of it is a request or an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("~", "\\(ti")
    return re.sub(r"(?m)^([.])", r"\\&\1", text.replace("^", "\\(ha"))


def paragraphs(text):
    """A discussion: indented lines are examples, which keep their lines."""
    lines = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        example = False
        for line in block.splitlines():
            if line.startswith("  ") != example:
                example = not example
                lines += [".PP", ".RS 4", ".nf"] if example else [".fi", ".RE", ".PP"]
            if line.strip():
                lines.append(escaped(line.strip()))
        lines += [".fi", ".RE"] if example else []
        lines.append(".PP")
    while lines and lines[-1] == ".PP":
        lines.pop()
    return lines


def spelled(name):
    return {"long": "--", "short": "-", "longWithSingleDash": "-"}[name["kind"]] + name["name"]


def shown(command):
    """The arguments of a command. The flags that every command has are on the program's own page only."""
    return [one for one in command.get("arguments", []) if one.get("shouldDisplay", True)
            and ("superCommands" not in command or one.get("preferredName", {}).get("name") not in ("help", "version"))]


def synopsis(words, command):
    """The line that shows how a command is called."""
    parts = [f"\\fB{escaped(' '.join(words))}\\fR"]
    for one in shown(command):
        value = f"\\fI{escaped(one.get('valueName', 'value'))}\\fR"
        if one["kind"] != "positional":
            name = f"\\fB{escaped(spelled(one['preferredName']))}\\fR"
            value = name if one["kind"] == "flag" else f"{name} {value}"
        if one.get("isRepeating"):
            value += " ..."
        parts.append(f"[{value}]" if one.get("isOptional") else value)
    if command.get("subcommands"):
        parts.append("\\fIcommand\\fR")
    return " ".join(parts)


def arguments(command):
    lines = []
    for one in shown(command):
        value = f"\\fI{escaped(one.get('valueName', 'value'))}\\fR"
        if one["kind"] == "positional":
            title = value
        else:
            title = ", ".join(f"\\fB{escaped(spelled(name))}\\fR" for name in one["names"])
            title += "" if one["kind"] == "flag" else f" {value}"
        lines += [".TP", title]
        text = one.get("abstract", "")
        if one.get("allValues"):
            text += f" One of: {', '.join(one['allValues'])}."
        if one.get("defaultValue") is not None and one["kind"] != "flag":
            text += f" The default is {one['defaultValue']}."
        lines += [escaped(line) for line in text.strip().splitlines()] or ["\\&"]
    return lines


def visible(command):
    return [one for one in command.get("subcommands", []) if one.get("shouldDisplay", True) and one["commandName"] != "help"]


def section(words, command):
    """A subcommand, and those below it."""
    lines = [f".SS {escaped(' '.join(words[1:]))}", synopsis(words, command), ".PP", escaped(command.get("abstract", ""))]
    if command.get("discussion"):
        lines += [".PP"] + paragraphs(command["discussion"])
    lines += arguments(command)
    for below in visible(command):
        lines += section(words + [below["commandName"]], below)
    return lines


def page(words, command, version, date, below):
    """A manual page; `below` are the pages that it names."""
    name = "-".join(words)
    lines = [f'.TH "{name.upper()}" 1 "{date}" "tributary {version}" "Tributary"', ".SH NAME",
             f"{escaped(name)} \\- {escaped(command.get('abstract', '').rstrip('.'))}", ".SH SYNOPSIS", synopsis(words, command)]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION"] + paragraphs(command["discussion"])
    options = arguments(command)
    if options:
        lines += [".SH OPTIONS"] + options
    if below:
        lines.append(".SH COMMANDS")
        for other in visible(command):
            lines += [".TP", f"\\fB{escaped('-'.join(words + [other['commandName']]))}\\fR(1)", escaped(other.get("abstract", ""))]
    elif visible(command):
        lines.append(".SH COMMANDS")
        for other in visible(command):
            lines += section(words + [other["commandName"]], other)
    if len(words) == 1:
        lines += [".SH FILES"]
        for path, text in (("/var/lib/tributary/study", "The study of the units."),
                           ("/etc/tributary/package.conf", "The study that an upgrade of the package backs up and migrates."),
                           ("/var/backups/tributary", "The backups of each night and of upgrades.")):
            lines += [".TP", f"\\fI{escaped(path)}\\fR", escaped(text)]
    else:
        lines += [".SH SEE ALSO", "\\fBtributary\\fR(1)"]
    return name + ".1", "\n".join(lines) + "\n"


def pages(root, version, seconds):
    """All pages, by their names. `seconds` is the time of the version, since 1970 in UTC."""
    date = time.strftime("%Y-%m-%d", time.gmtime(seconds))
    name = root["commandName"]
    result = dict([page([name], root, version, date, below=True)])
    for command in visible(root):
        key, text = page([name, command["commandName"]], command, version, date, below=False)
        result[key] = text
    return result


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    number = subprocess.run([sys.argv[1], "--version"], capture_output=True, text=True, check=True).stdout.strip()
    for file, content in pages(described(sys.argv[1]), number, time.time()).items():
        (Path(sys.argv[2]) / file).write_text(content)
