"""Names and numbers that have broken programs before."""

MARKUP = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><svg onload=alert(1)>",
    "]]><x/>",
    "-->",
    "javascript:alert(1)",
    "&lt;b&gt;&#0;&amp;",
    "{{ 7 * 7 }}{% raw %}",
    "[red]bold[/red] [link=http://example.org]x[/link]",
    "$\\frac{a}{b}$ \\input{x} _^%#&~",
    "$",
    "$x$ $",
)
FORMULAS = (
    "=cmd|' /C calc'!A0",
    "+1+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
)
ESCAPES = (
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\",
    "\x9b31mred",
    "a\rb",
    "a\x08\x08b",
    "\x07",
    "a\x00b",
    "\x7f",
    "a\x0bb\x0cc",
    "a\x85b\u2028c\u2029d",
)
PATHS = (
    "../outside",
    "/etc/passwd",
    "..",
    ".",
    "a/b/c",
    "C:\\windows\\system32",
    "con",
    "a\\..\\b",
    ".hidden",
    "~root",
    "file:///etc/passwd",
    "-rf",
    "--output",
    "$(touch stray)",
    "`touch stray`",
    "a;touch stray",
    "a|b",
    "*",
    "?",
)
MARKS = (
    "\u202egnp.exe",
    "\u200fright to left",
    "\u2066isolated\u2069",
    "zero\u200bwidth",
    "\ufeffmark",
    "soft\u00adhyphen",
    "e\u0301" * 40,
    "e" + "\u0301" * 500,
    "\U0001f469\u200d\U0001f469\u200d\U0001f466",
    "\U000e0041\U000e0042",
    "\ufffe",
    "\uffff",
    "ﷺ",
    "İ",
    "ß",
)
SHAPES = (
    " ",
    "  leading and trailing  ",
    "two\nlines",
    "tab\there",
    'quote"d',
    "it's",
    "comma, semicolon; colon:",
    "nan",
    "None",
    "null",
    "NA",
    "true",
    "1",
    "1.0",
    "1e5",
    "01",
    "-0",
    "P(x)",
    "label",
    "instance",
    "action",
    "x" * 300,
    "y" * 20_000,
    "w " * 5_000,
)
SURROGATES = ("\ud800", "a\udfffb", "\udce9")
HOSTILE = (*MARKUP, *FORMULAS, *ESCAPES, *PATHS, *MARKS, *SHAPES)

NUMBERS = (
    *("nan", "inf", "-inf", "1e999", "-1e999", "1e308", "-1e308", "1e-320", "5e-324", "-0.0", "0"),
    *("9007199254740993", "9223372036854775807", "9223372036854775808", "-1", "1e19", "0x10"),
    *("1_000", "١٢٣", "1,5", "1.5.1", "--1", "+", "1e", ".", "", " ", "00:00:01", "24:61:61"),
    *("2024-02-30", "0000-00-00T00:00:00", "9999-12-31T23:59:59.999999999Z", "1900-01-01"),
    *("9" * 40, "1" * 5000, "0." + "0" * 400 + "1", "1e" + "9" * 30, "½", "²", "NaN", "True"),
    *("1" * 40_000 + "x", "0" * 40_000 + ":", "1:" * 10_000),  # patterns that try all ways
)


def pick(rng, options):
    """One of the options; strings stay strings."""
    return options[int(rng.integers(len(options)))]


def name(rng):
    """A hostile name, or several of them joined."""
    return "".join(pick(rng, HOSTILE) for _ in range(1 if rng.random() < 0.8 else 2))
