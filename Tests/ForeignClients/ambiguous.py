# SPDX-License-Identifier: Apache-2.0
"""Requests about whose end two readers could disagree."""


def ambiguous_requests(form, smuggled):
    """Returns such requests: a name, the header fields, and a body behind which another request is hidden."""
    length = f"Content-Length: {len(form)}"
    return [
        ("length and chunks", ["Content-Length: 4", "Transfer-Encoding: chunked"], "0\r\n\r\n" + smuggled),
        ("chunks and length", ["Transfer-Encoding: chunked", "Content-Length: 4"], "0\r\n\r\n" + smuggled),
        ("two lengths", [length, f"Content-Length: {len(form) + len(smuggled)}"], form + smuggled),
        ("two lengths in one", [f"Content-Length: {len(form)}, {len(form) + 4}"], form + smuggled),
        ("a length with a sign", [f"Content-Length: +{len(form)}"], form + smuggled),
        ("a length below nothing", ["Content-Length: -1"], form + smuggled),
        ("a length in another base", ["Content-Length: 0x12"], form + smuggled),
        ("a length beyond numbers", ["Content-Length: 99999999999999999999"], form + smuggled),
        ("an unknown coding", ["Transfer-Encoding: xchunked"], form + smuggled),
        ("chunked not last", ["Transfer-Encoding: chunked, identity"], "0\r\n\r\n" + smuggled),
        ("a blank before the colon", [f"Content-Length : {len(form)}"], form + smuggled),
        ("a folded field", ["Transfer-Encoding:\r\n chunked"], "0\r\n\r\n" + smuggled),
        ("a size that is none", ["Transfer-Encoding: chunked"], "zz\r\n" + smuggled),
        ("a field without a name", [": x"], smuggled),
        ("a zero byte", ["X-A: a\0b"], smuggled),
        ("a line feed alone", [length + "\nX-B: y"], form + smuggled),
    ]
