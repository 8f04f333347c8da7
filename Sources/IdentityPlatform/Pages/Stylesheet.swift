// SPDX-License-Identifier: Apache-2.0
internal import Crypto
internal import FoundationEssentials

/// The only stylesheet of the pages. It is inline; the policy allows it by its hash (Content Security Policy Level 3,
/// section 2.3.1).
enum Stylesheet {
    static let text = """
        :root{color-scheme:light dark;--ink:#16202a;--soft:#5b6875;--paper:#fff;--ground:#eef2f5;--line:#c4ced8;\
        --accent:#0b5cab;--alert:#a3161c;--alertground:#fdecec}
        @media (prefers-color-scheme:dark){:root{--ink:#e8edf2;--soft:#a3b0bd;--paper:#18212a;--ground:#0d141a;\
        --line:#3a4854;--accent:#4c9be8;--alert:#ffb4b4;--alertground:#3a1618}}
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--ink);\
        font:16px/1.5 system-ui,sans-serif}
        main{width:min(26rem,100%);padding:2rem 1.5rem;background:var(--paper);border:1px solid var(--line);\
        border-radius:12px;margin:1rem}
        h1{font-size:1.4rem;margin:0 0 .25rem}
        p{margin:0 0 1.25rem;color:var(--soft)}
        label{display:block;font-weight:600;margin:0 0 .25rem}
        input{width:100%;font:inherit;padding:.75rem;margin:0 0 1rem;border:1px solid var(--line);border-radius:8px;\
        background:transparent;color:inherit}
        input:focus,button:focus,a:focus{outline:3px solid var(--accent);outline-offset:2px}
        button{width:100%;font:inherit;font-weight:600;padding:.8rem;border:0;border-radius:8px;background:#0b5cab;\
        color:#fff;cursor:pointer}
        button+button{margin-top:.75rem}
        button.other,button.account{background:transparent;color:inherit;border:1px solid var(--line)}
        button.account{text-align:left}
        button.account span{display:block;font-weight:400;color:var(--soft)}
        p.lead{margin:0 0 .25rem;color:inherit}
        ul{margin:0 0 1.25rem;padding-left:1.25rem}
        strong,span,li,h1,p{overflow-wrap:anywhere}
        [role=alert]{background:var(--alertground);color:var(--alert);padding:.75rem;border-radius:8px;\
        margin:0 0 1rem}
        a{color:var(--accent)}
        @media (max-width:30rem){body{place-items:start stretch;background:var(--paper)}main{border:0;margin:0}}
        """

    static let source = "'sha256-\(Data(SHA256.hash(data: Array(text.utf8))).base64EncodedString())'"
}
