"""What a screen reader is told of a page: its live regions, from Chromium's accessibility tree.

Takes:  a page
Gives:  the text of each polite region, by the node that it is
Never:  reads the document itself: what is there and not in the tree is told to nobody

Source: WAI-ARIA 1.2, "aria-live" and "aria-owns"; Chrome DevTools Protocol, Accessibility.
"""

from typing import Any

from playwright.sync_api import Page

Node = dict[str, Any]


def announced(page: Page) -> dict[int, str]:
    """Return what each polite status region holds.

    The key is the element itself: a region that was replaced has another one.
    """
    session = page.context.new_cdp_session(page)
    try:
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    finally:
        session.detach()
    by_id = {node["nodeId"]: node for node in nodes}
    return {node["backendDOMNodeId"]: _text(node, by_id) for node in nodes if _is_polite(node)}


def _is_polite(node: Node) -> bool:
    # A paragraph inside of a region has the property too, and another role.
    live = [one["value"]["value"] for one in node.get("properties", ()) if one["name"] == "live"]
    return bool(node["role"]["value"] == "status" and live == ["polite"])


def _text(node: Node, by_id: dict[str, Node]) -> str:
    if node.get("role", {}).get("value") == "StaticText":
        return str(node["name"]["value"])
    children = (by_id[place] for place in node.get("childIds", ()) if place in by_id)
    return "".join(_text(child, by_id) for child in children)
