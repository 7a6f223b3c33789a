"""Writes src/renderer/engine/media/label/glyphs.json: outlines of the characters that labels have.

Needs fontTools and the fonts of Debian's fonts-noto-cjk. Run it after a change of src/shared/options/label.ts, from the
repository's folder: python3 scripts/fonts/label-glyphs.py
"""

import json
import re

from fontTools.misc.transform import Transform
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTCollection

FONTS = '/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc'
# Chinese and Japanese draw some characters differently.
FAMILIES = {'zh': 'Noto Sans CJK SC', 'ja': 'Noto Sans CJK JP'}


def texts():
    """Texts by set of glyphs: strings in a line that begins with `ja:` need the Japanese ones."""
    source = open('src/shared/options/label.ts', encoding='utf-8').read()
    table = source[source.index('labelTexts') :]
    found = {'zh': '', 'ja': ''}
    for line in table.splitlines():
        found['ja' if line.strip().startswith('ja:') else 'zh'] += ''.join(re.findall(r"'([^']*)'", line))
    return found


def main():
    fonts = {font['name'].getDebugName(1): font for font in TTCollection(FONTS).fonts}
    glyphs = {}
    for name, text in texts().items():
        font = fonts.get(FAMILIES[name]) or fonts[FAMILIES[name] + ' Bold']
        outlines, names, scale = font.getGlyphSet(), font.getBestCmap(), 1000 / font['head'].unitsPerEm
        glyphs[name] = {}
        for letter in sorted(set(text)):
            pen = SVGPathPen(outlines, ntos=lambda value: str(round(value)))
            outlines[names[ord(letter)]].draw(TransformPen(pen, Transform(scale, 0, 0, -scale, 0, 0)))
            glyphs[name][letter] = [round(outlines[names[ord(letter)]].width * scale), pen.getCommands()]
    glyphs['ja'] = {letter: glyph for letter, glyph in glyphs['ja'].items() if glyphs['zh'].get(letter) != glyph}
    with open('src/renderer/engine/media/label/glyphs.json', 'w', encoding='utf-8') as file:
        json.dump(glyphs, file, ensure_ascii=False, indent=2)
        file.write('\n')


main()
