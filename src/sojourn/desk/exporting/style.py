"""How an exported page looks: by day, by night, on a telephone and on paper. The page allows no other style."""

import base64
import hashlib
from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1d1f21; --paper: #fdfdfc; --quiet: #62666d; --line: #dcdfe3; --block: #f3f4f6;
  --user: #0b57d0; --assistant: #1a7f4b; --tool: #8a5a00; --system: #7a3e9d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6e8; --paper: #16181b; --quiet: #9aa0a8; --line: #33373d;
  --block: #202328; --user: #8ab4f8; --assistant: #7fd6a4; --tool: #e0b15c; --system: #cf9fe8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 52rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem; }
.about, time, .mark { color: var(--quiet); font-size: .85rem; }
.about { margin: 0 0 1.5rem; }
nav { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem; margin-bottom: 2rem; }
nav ol { margin: .5rem 0 0; padding-left: 1.6rem; max-height: 22rem; overflow: auto; }
nav a { color: inherit; text-decoration-color: var(--line); }
article { border-left: 3px solid var(--line); padding: .1rem 0 .1rem 1rem; margin: 1.6rem 0; }
article > header { display: flex; gap: .8rem; align-items: baseline; }
article > header b { font-weight: 600; }
article > header a { color: var(--quiet); font-size: .8rem; text-decoration: none; margin-left: auto; }
article:target { background: var(--block); }
.user { border-color: var(--user); } .user > header b { color: var(--user); }
.assistant { border-color: var(--assistant); } .assistant > header b { color: var(--assistant); }
.tool { border-color: var(--tool); } .tool > header b { color: var(--tool); }
.system { border-color: var(--system); } .system > header b { color: var(--system); }
.passage { border-top: 1px dashed var(--quiet); margin: 2.5rem 0; padding-top: .6rem; color: var(--quiet); }
pre { background: var(--block); border-radius: .4rem; padding: .7rem .9rem; overflow-x: auto; font-size: .85rem;
  line-height: 1.45; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
.plain { white-space: pre-wrap; }
details { margin: .6rem 0; }
summary { cursor: pointer; color: var(--tool); font-size: .9rem; }
details pre { white-space: pre-wrap; max-height: 30rem; overflow: auto; }
p, li, td, pre { unicode-bidi: plaintext; }
blockquote { margin: .5rem 0; padding-left: .9rem; border-left: 3px solid var(--line); color: var(--quiet); }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; }
img { max-width: 100%; height: auto; }
@media print { body { max-width: none; padding: 0; font-size: 10.5pt; } nav ol, details pre { max-height: none; }
  article { break-inside: auto; } article > header { break-after: avoid; } article > header a { display: none; } }
"""

_HASH: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY: Final = f"default-src 'none'; style-src 'sha256-{_HASH}'; img-src data:; base-uri 'none'; form-action 'none'"
"""What the page may do: show pictures that it holds itself, and look like this. It runs nothing and fetches nothing."""
