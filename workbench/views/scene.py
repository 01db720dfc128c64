"""One moment of a negotiation as HTML.

Takes:  a `Scene`
Gives:  what was heard, what was decided by which rule, and the bytes about to be sent with
        their `_meta` marked
Never:  emits untrusted text unescaped, or a colour that only one theme can show

The rule is part of the page: its text opens under its id, with source and advice.
"""

from typing import Final

from workbench.core.rulebook.rule import Rule
from workbench.core.stepped.scene import Frame, Scene
from workbench.views.html import text_of

STYLE: Final = """<style>
.mcpw-scene pre { max-height: 14em; overflow: auto; }
.mcpw-scene mark { background: var(--jp-warn-color3, #ffe8a3); color: #202124;
  padding: 0 .1em; border-radius: 2px; }
.mcpw-scene .mcpw-state { font-weight: bold; border: 2px solid currentColor; border-radius: 4px;
  padding: 0 .5em; }
.mcpw-scene summary { cursor: pointer; }
.mcpw-what-if { border: 2px dashed currentColor; border-radius: 4px; padding: .3em .6em;
  margin: .3em 0; font-weight: bold; }
</style>"""
_TABLE: Final = (
    "border-collapse:collapse;width:100%;background:transparent;line-height:1.45;"
    "color:var(--jp-ui-font-color1,inherit)"
)
_NAME: Final = "text-align:left;vertical-align:top;white-space:nowrap;padding:.15em 1em .15em 0"
_VALUE: Final = (
    "text-align:left;vertical-align:top;width:100%;padding:.15em 0;"
    "white-space:normal;overflow-wrap:anywhere"
)


def scene_html(scene: Scene) -> str:
    """Return the scene as a table of what and how, a banner above it when it is a what-if."""
    rows = [("State", f'<span class="mcpw-state">{text_of(scene.state)}</span>')]
    rows.append(("Core’s clock", text_of(scene.clock)))
    rows.append(("Heard", _heard(scene)))
    if scene.rule is not None:
        rows.append(("Decided", _decided(scene, scene.rule)))
    when = "Done" if scene.performed else "Next"
    next_ = [_frame(frame, "Sent" if scene.performed else "To be sent") for frame in scene.sending]
    next_ += [f"<p>{text_of(_upper(sentence))}</p>" for sentence in scene.doing]
    rows.append((when, "".join(next_) or "<p>Nothing more.</p>"))
    listed = "".join(
        f'<tr><th scope="row" style="{_NAME}">{name}</th><td style="{_VALUE}">{value}</td></tr>'
        for name, value in rows
    )
    # Formulas between dollar signs would be typeset by the notebook: these classes forbid it.
    return (
        f'{STYLE}<div class="mcpw-scene mathjax_ignore tex2jax_ignore">{_banner(scene)}'
        f'<table style="{_TABLE}"><tbody>{listed}</tbody></table></div>'
    )


def _banner(scene: Scene) -> str:
    if not scene.supposed:
        return ""
    said = text_of(scene.supposed)
    return f'<p class="mcpw-what-if">What if the peer {said}? Nothing of this was sent.</p>'


def _heard(scene: Scene) -> str:
    said = text_of(_upper(scene.heard))
    return f"{said}<pre>{text_of(scene.bytes_heard)}</pre>" if scene.bytes_heard else said


def _decided(scene: Scene, rule: Rule) -> str:
    edited = " <strong>(edited row)</strong>" if scene.edited else ""
    advice = f"<p>What to do: {text_of(rule.hint)}</p>" if rule.hint else ""
    fake = f"<p>A fake that provokes it: {text_of(rule.fake)}</p>" if rule.fake else ""
    return (
        f"{text_of(scene.evidence)}, by rule <strong>{text_of(rule.id)}</strong>{edited}: "
        f"{text_of(rule.sentence)}"
        f"<details><summary>About {text_of(rule.id)}</summary>"
        f"<p>Source: {text_of(rule.source)}</p><p>Enforced in <code>workbench."
        f"{text_of(rule.where)}</code></p>{fake}{advice}</details>"
    )


def _frame(frame: Frame, words: str) -> str:
    marked = f"<mark>{text_of(frame.meta)}</mark>" if frame.meta else ""
    return (
        f"{words}: {text_of(frame.method)}, {frame.size} bytes"
        f"<pre>{text_of(frame.before)}{marked}{text_of(frame.after)}</pre>"
    )


def _upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
