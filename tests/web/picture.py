"""picture.py PAGE CHROMIUM SVG: the page as a picture of lines and words, as Chromium lays out PAGE/tpuplan.html with
its first question: boxes and controls as rectangles, words as text, the page's own pictures as they are."""
import json
import pathlib
import sys
from xml.etree import ElementTree

from browser import Browser

WIDTH, HEIGHT = 1120, 1170

# What is seen of each element: its box, its words line by line, the state of its control.
SEEN = """
(() => {
  const out = [], f = (x) => +x.toFixed(1);
  const box = (b) => [f(b.left), f(b.top), f(b.width), f(b.height)];
  const words = (node, style, right) => {
    const range = document.createRange(), lines = [];
    for (const word of node.data.matchAll(/\\S+/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const at = range.getBoundingClientRect(), last = lines[lines.length - 1];
      if (!at.width || at.right > right) continue;
      if (last && Math.abs(last.top - at.top) < 2) { last.text += " " + word[0]; last.right = at.right; }
      else lines.push({ text: word[0], left: at.left, right: at.right, top: at.top, height: at.height });
    }
    for (const one of lines) out.push({ text: one.text, box: [f(one.left), f(one.top), f(one.right - one.left),
      f(one.height)], size: parseFloat(style.fontSize), weight: style.fontWeight, ink: style.color,
      line: style.textDecorationLine });
  };
  const walk = (node, right) => {
    if (!node.checkVisibility({ checkOpacity: true })) return;
    const style = getComputedStyle(node), b = node.getBoundingClientRect();
    if (b.top > HEIGHT || b.right < 0 || b.left > right) return;
    if (node.localName === "svg") return void out.push({ svg: node.outerHTML, box: box(b), ink: style.color });
    const edge = parseFloat(style.borderTopWidth) > 0 && style.borderTopStyle !== "none";
    const filled = style.backgroundColor !== "rgba(0, 0, 0, 0)";
    if (style.overflowX !== "visible") right = Math.min(right, b.right);
    const width = Math.min(b.right, right) - b.left;
    const legend = node.localName === "fieldset" ? node.querySelector("legend")?.getBoundingClientRect() : null;
    if (["range", "checkbox"].includes(node.type)) {
      const part = (node.value - node.min) / (node.max - node.min);
      return void out.push({ control: node.type, box: box(b), part, on: node.checked,
        ink: getComputedStyle(document.documentElement).getPropertyValue("--accent").trim(),
        faint: node.classList.contains("open") });
    }
    if (node !== document.body && (edge || filled)) {
      const top = legend ? legend.top + legend.height / 2 : b.top;
      out.push({ rect: 1, box: [f(b.left), f(top), f(width), f(b.bottom - top)], fill: filled ? style.backgroundColor
        : "none", stroke: edge ? style.borderTopColor : "none", radius: parseFloat(style.borderTopLeftRadius) || 0 });
    } else if (parseFloat(style.borderBottomWidth) > 0) {
      out.push({ rect: 1, box: [f(b.left), f(b.bottom - 1), f(width), 1], fill: style.borderBottomColor,
        stroke: "none", radius: 0 });
    }
    if (node.localName === "legend")
      out.push({ rect: 1, box: box(b), fill: "rgb(255, 255, 255)", stroke: "none", radius: 0 });
    const said = node.localName === "select" ? node.selectedOptions[0].text + " \\u25be"
      : node.type === "file" ? "Choose File" : node.type === "text" ? node.value || node.placeholder : null;
    if (said !== null) {
      const size = parseFloat(style.fontSize), left = b.left + (parseFloat(style.paddingLeft) || 0) + 1;
      return void out.push({ text: said, box: [f(left), f(b.top + (b.height - size * 1.2) / 2), 0, f(size * 1.2)], size,
        weight: "400", ink: node.value || node.type !== "text" ? style.color : "rgb(117, 117, 117)", line: "none" });
    }
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) words(child, style, right);
      else if (child.nodeType === Node.ELEMENT_NODE) walk(child, right);
    }
    if (node.localName === "summary") out.push({ text: "\\u25b8", box: [f(b.left), f(b.top), 0, f(b.height)],
      size: parseFloat(style.fontSize), weight: "400", ink: style.color, line: "none" });
  };
  walk(document.body, WIDTH);
  return out;
})()
""".replace("HEIGHT", str(HEIGHT)).replace("WIDTH", str(WIDTH))

ElementTree.register_namespace("", "http://www.w3.org/2000/svg")


def element(name, text=None, **attributes):
    made = ElementTree.Element(name, {key.replace("_", "-"): str(value) for key, value in attributes.items()})
    made.text = text
    return made


def drawn(one):
    """The elements of one thing that is seen."""
    x, y, width, height = one["box"]
    if "text" in one:
        made = element("text", one["text"], x=x, y=round(y + height / 2 + 0.36 * one["size"], 1),
                       font_size=one["size"], fill=one["ink"])
        if width:
            made.set("textLength", str(width))
        if one["weight"] != "400":
            made.set("font-weight", one["weight"])
        if one["line"] == "underline":
            made.set("text-decoration", "underline")
        return [made]
    if "svg" in one:
        made = ElementTree.fromstring(one["svg"])
        for key, value in zip(("x", "y", "width", "height"), one["box"]):
            made.set(key, str(value))
        made.set("color", one["ink"])
        return [made]
    if "control" in one:
        ink = {"fill": one["ink"], "opacity": 0.45 if one["faint"] else 1}
        if one["control"] == "checkbox":
            return [element("rect", x=x, y=y, width=width, height=height, rx=2, stroke="#767676",
                            fill=one["ink"] if one["on"] else "#fff")]
        at, middle = x + 8 + one["part"] * (width - 16), y + height / 2
        return [element("rect", x=x, y=middle - 4, width=width, height=8, rx=4, fill="#efefef", stroke="#b2b2b2"),
                element("rect", x=x, y=middle - 4, width=round(at - x, 1), height=8, rx=4, **ink),
                element("circle", cx=round(at, 1), cy=middle, r=8, **ink)]
    return [element("rect", x=x, y=y, width=width, height=height, rx=one["radius"], fill=one["fill"],
                    stroke=one["stroke"])]


def main():
    page_folder, chromium, written = (pathlib.Path(one).absolute() for one in sys.argv[1:4])
    browser = Browser(str(chromium))
    try:
        page = browser.page()
        page.size(WIDTH, HEIGHT)
        page.colours("light")
        page.open((page_folder / "tpuplan.html").as_uri())
        seen, said = page.run(SEEN), page.run("document.getElementById('summary').textContent")
    finally:
        browser.close()
    root = element("svg", xmlns="http://www.w3.org/2000/svg", viewBox="0 0 %d %d" % (WIDTH, HEIGHT), role="img",
                   font_family="system-ui, 'DejaVu Sans', sans-serif", stroke_width=1)
    root.append(element("title", "The page of tpuplan: " + said))
    root.append(element("rect", width=WIDTH, height=HEIGHT, fill="#fff"))
    for one in seen:
        root.extend(drawn(one))
    written.write_text(ElementTree.tostring(root, encoding="unicode").replace("><", ">\n<") + "\n")
    print(json.dumps({"things": len(seen), "bytes": written.stat().st_size, "answer": said}))


main()
