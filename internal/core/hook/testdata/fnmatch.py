"""Writes fnmatch.json: which of the names each of the patterns matches, by Python's fnmatchcase."""
import fnmatch
import json
import pathlib
import random
import warnings

warnings.simplefilter("ignore")  # Python 3.11 warns of sets like [[a], which it will read otherwise one day

NAMES = [
    "", "a", "b", "z", "A", "Z", "-", "!", "^", "[", "]", "\\", ".", "*", "?", "&", "~", " ", "\n", "é", "日", "🙂", "5",
    "ab", "ba", "aa", "a-", "-]", "a]", "!]", "[x", "[]", "[!]", "[a-", "\\a", "\\*", "a\nb", "日本", "e\u0301",
    "shell", "Shell", "fs_read", "fs_write", "fs/read", "fs.read", ".hidden", "mcp__server__tool", "mcp__a/b", "mcp__",
    "Write", "write", "Edit", "MultiEdit", "Bash(git push)", "abcabc", "aaaaaaaaab", "aaaaaaaaaa",
]
PATTERNS = [
    "*", "**", "***", "?", "??", "*?", "?*", "a", "A", "é", "日", "日*", "?本", "🙂", "e?",
    "shell", "SHELL", "fs_*", "fs?read", "*read", "fs*d", "*_*", "*/*", "mcp__*", "mcp__*__*", "mcp__a/b", "*it", "W*e",
    "*abc", "abc*abc", "*a*b", "*a*a*a*b", "a*a*b", "*.*", ".*", "Bash(*)", "Bash(git *)", "*\n*", "a?b", "a\nb",
    "\\*", "\\?", "\\a", "\\\\", "a\\", "[\\]", "[\\a]", "[\\]]", "[\\-a]", "[!\\]", "[*]", "[?]", "[[]", "[[a]", "[[]]", "[][]", "[a][b]",
    "[", "[]", "[!", "[!]", "[x", "[a-", "[]a", "[!]a", "[[", "[[x", "a[", "*[", "*[x", "[*", "[?", "[!*", "a]", "]", "]*", "[^", "[^]",
    "[a]", "[ab]", "[ba]b", "[!a]", "[!a]b", "[!ab]", "[!a]*", "*[!a]", "[]a]", "[!]a]", "[]]", "[!]]", "[]-a]", "[!]-a]", "[]-]",
    "[!]-]", "[!!]", "[!!a]", "[a!]", "[^a]", "[a^]", "[!^a]", "[^]", "[^-a]", "[.]", "[&&]", "[~~a]", "[a&&b]", "[ ]", "[\n]", "[!\n]",
    "[a-z]", "[A-Z]", "[!a-z]", "[a-zA-Z]", "[a-z0-9_]", "[a-a]", "[0-9]", "[ -~]", "[!-~]", "[a-]", "[-a]", "[-]", "[--]", "[---]",
    "[!-]", "[!--]", "[!-a]", "[!a-]", "[a-c-e]", "[a-c-]", "[-a-c]", "[--a]", "[+--]", "[a-b-z]", "[é-日]", "[日-🙂]", "[a-é]",
    "[z-a]", "[!z-a]", "[z-ab]", "[az-a]", "[z-a-]", "[z-a]*", "*[z-a]", "[!z-ab]", "[z-a0-9]", "[b-az-y]", "[z-a!b]", "[z-a!]",
    "[z-a!-b]", "[z-a^b]", "[]-A]", "[!]-A]", "[日-é]", "[a-b-a]", "[z-az-a]", "[Z-a]", "[a-Z]", "[a-", "[z-", "[]-", "[!]-",
    "[s]hell", "[sS]hell", "[!S]hell", "s[a-i]ell", "fs[_/]*", "fs[!_]*", "[[]x", "[[]*", "*[]]", "*[[]*", "*[*]*", "*[?]*",
]
# What nobody thinks of. No blanks at the ends and no bar: a matcher takes them for its own.
dice = random.Random(1)
while len(PATTERNS) < 400:
    inner = "".join(dice.choice("[]!-a-z^b\\é日*?") for _ in range(dice.randint(1, 6)))
    PATTERNS.append(dice.choice(["%s", "[%s]", "[!%s]", "*[%s]", "[%s]*"]) % inner)

assert not any("|" in p or p != p.strip() or not p for p in PATTERNS)
matches = {p: [n for n in NAMES if fnmatch.fnmatchcase(n, p)] for p in PATTERNS}
lines = ",\n".join(f"    {json.dumps(p)}: {json.dumps(m)}" for p, m in matches.items())
pathlib.Path(__file__).with_suffix(".json").write_text(
    f'{{\n  "names": {json.dumps(NAMES)},\n  "matches": {{\n{lines}\n  }}\n}}\n')
