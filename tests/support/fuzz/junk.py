"""Junk: numbers, texts and bytes that have broken something somewhere, or that mean something here."""

import json
from typing import Final

import msgspec

#: Numbers at the edges of what machines, browsers and this house can hold.
FIGURES: Final = (
    *(sign * (2**power + off) for sign in (1, -1) for power in (0, 7, 31, 32, 53, 63, 64) for off in (-1, 0, 1)),
    *(0, 2, 3, 37, 100, 500, 10**6, 10**9, 10**12, 10**18, 10**400, -(10**400)),
)
#: What a canary is for: no secret that is typed anywhere may turn up in a log.
CANARY: Final = "canary-7c1f-secret"
#: Texts that have broken something somewhere, or that mean something here.
TEXTS: Final = (
    *("", " ", "x", "\t", "x" * 32, "x" * 33, "x" * 63, "x" * 64, "x" * 65, "x" * 128, "x" * 129, "x" * 2_000),
    *("system", "SYSTEM", "A-1 ", " A-1", "\u0410-1", "A\u20111", "a-1", "A-1\u200b", "A-1\x00", "wheel", "null"),
    *("17/21", "0/00", "37", "-1", "1/1", "00", "17/20 ", "red;black", "5 on 17", "neighbours 17 by 9", "finale 9"),
    *("'; DROP TABLE page; --", '" OR 1=1 --', "<script>alert(1)</script>", "<img src=x onerror=alert(1)>"),
    *('\r\n{"event":"signed_in","person":"manager"}', "\x1b[2J\x1b[1;31mowned", "%s%n%x", "{0.__class__}", "${jndi:x}"),
    *("../../etc/passwd", "__proto__", "constructor", "\u202e\u0645\u0631\u062d\u0628\u0627", "\ufeff", "\u2028"),
    *("e\u0301", "\u00e9", "\ufb03", "\U0001f3b2" * 8, "\u0300" * 50),
    *(CANARY, "0" * 18, "123456789012345678", "1234-5678-9012-3456-78", "\u0661" * 18),
)


def as_json(value: object) -> bytes:
    return msgspec.json.encode(value) if not isinstance(value, int) else str(value).encode()


#: What may stand in the place of any value, whatever its type: much of it is no JSON at all.
JUNK: Final = (
    *map(as_json, FIGURES),
    *map(as_json, TEXTS),
    *(json.dumps(text).encode() for text in TEXTS),
    *(b"null", b"true", b"false", b"[]", b"{}", b"[[]]", b"[null]", b'{"":{}}', b"1.0", b"1e3", b"1E400", b"-0"),
    *(b"01", b"+1", b".5", b"5.", b"0x10", b"1_000", b"NaN", b"-Infinity", b"undefined", b"", b'"', b"'x'", b"\x00"),
    *(b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\ud83c\\udfb2"', b'"\\u0000"', b'"\\x41"', b'"\\"', b'"\\u12"', b'"\x00"'),
    *(b'"\xff\xfe"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b'"\xe2\x82"', b"\xef\xbb\xbf1"),
    *(b"[" * 400 + b"]" * 400, b'{"a":' * 300 + b"1" + b"}" * 300, b"[" * 3_000, b"9" * 3_900, b"/**/1", b"-0.0"),
)
