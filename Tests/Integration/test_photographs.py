"""Three hundred photographs with all that cameras write into them, from a device to the study's records: pillow and piexif
make them, and exiftool reads what is left."""

import base64
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness import SpineTest, seeded

PHOTOGRAPHS, A_RESPONSE = 300, 20
SECRET = b"Quillfeather"
FORM = {"resourceType": "Questionnaire", "id": "photos", "url": "https://example.org/forms/photos", "version": "1",
        "status": "active", "item": [{"linkId": "photo", "type": "attachment", "repeats": True}]}

# What exiftool may list: the file, its format, size, colour and orientation.
FILE = {"SourceFile", "FileName", "Directory", "FileSize", "FileModifyDate", "FileAccessDate", "FileInodeChangeDate",
        "FilePermissions", "ExifToolVersion"}
FORMAT = {"FileType", "FileTypeExtension", "MIMEType", "ExifByteOrder", "EncodingProcess", "JFIFVersion", "Compression",
          "Filter", "Interlace"}
SIZE = {"ImageWidth", "ImageHeight", "ImageSize", "Megapixels", "ResolutionUnit", "XResolution", "YResolution",
        "PixelsPerUnitX", "PixelsPerUnitY", "PixelUnits"}
COLOUR = {"BitsPerSample", "ColorComponents", "YCbCrSubSampling", "BitDepth", "ColorType", "Gamma", "SRGBRendering", "Palette",
          "Transparency", "BackgroundColor", "SignificantBits", "DCTEncodeVersion", "APP14Flags0", "APP14Flags1",
          "ColorTransform"}
ALLOWED = FILE | FORMAT | SIZE | COLOUR | {"Orientation"}
# Of a colour profile: its colours, and no name, date or maker.
NOTHING = ("", "Unknown ()", 0)
PROFILE_EMPTY = {"ProfileCMMType": NOTHING, "ProfileDateTime": ("0000:00:00 00:00:00",), "PrimaryPlatform": NOTHING,
                 "DeviceManufacturer": NOTHING, "DeviceModel": NOTHING, "ProfileCreator": NOTHING, "ProfileID": NOTHING,
                 "ProfileDescription": ("ICC",), "ProfileCopyright": ("ICC",)}
PROFILE_COLOUR = {"ProfileVersion", "ProfileClass", "ColorSpaceData", "ProfileConnectionSpace", "ProfileFileSignature",
                  "CMMFlags", "DeviceAttributes", "RenderingIntent", "ConnectionSpaceIlluminant", "MediaWhitePoint",
                  "RedMatrixColumn", "GreenMatrixColumn", "BlueMatrixColumn", "RedTRC", "GreenTRC", "BlueTRC", "GrayTRC",
                  "ChromaticAdaptation"}


def environment():
    """A Python with pillow and piexif, in a folder of its own; None where there is no way to them."""
    folder = Path(tempfile.mkdtemp(prefix="tributary-photographs-"))
    for python in dict.fromkeys([sys.executable, shutil.which("python3"), "/usr/bin/python3"]):
        made = python and subprocess.run([python, "-m", "venv", "--clear", folder], capture_output=True, check=False)
        if made and made.returncode == 0:
            own = folder / "bin" / "python"
            done = subprocess.run([own, "-m", "pip", "install", "--quiet", "pillow", "piexif"], capture_output=True,
                                  check=False, timeout=300)
            if done.returncode == 0:
                return folder, own
    shutil.rmtree(folder, ignore_errors=True)
    return None, None


@unittest.skipUnless(shutil.which("exiftool"), "exiftool is not there (Debian's libimage-exiftool-perl)")
class Photographs(SpineTest):
    @classmethod
    def setUpClass(cls):
        cls.folder, cls.python = environment()
        if not cls.python:
            raise unittest.SkipTest("pillow and piexif cannot be installed from PyPI")
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        super().setUpClass()

    @classmethod
    def prepare(cls):
        cls.study.publish(FORM)

    def photographs(self, *arguments):
        script = Path(__file__).with_name("photographs.py")
        return subprocess.run([self.python, script, *map(str, arguments)], check=True, stdout=subprocess.PIPE).stdout

    def listed(self, folder):
        return json.loads(subprocess.run(
            ["exiftool", "-json", "-a", "-u", "-ee", folder], check=True, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL).stdout)

    def test_exiftool_lists_format_size_colour_and_orientation_alone(self):
        made, clean = self.study.root / "made", self.study.root / "clean"
        made.mkdir()
        clean.mkdir()
        self.photographs("make", made, PHOTOGRAPHS, seeded().randrange(1 << 30))
        names = sorted(json.loads((made / "expected.json").read_text()))
        self.assertGreater(sum("GPSLatitude" in tags for tags in self.listed(made)), PHOTOGRAPHS * 0.9, "they are dirty")
        # 1. From the device to the records, some at a time.
        device = self.member()
        for first in range(0, len(names), A_RESPONSE):
            device.answer(FORM, {"photo": [
                {"valueAttachment": {
                    "contentType": "image/png" if name.endswith("png") else "image/jpeg", "title": f"Quillfeather {name}",
                    "language": f"x-{name.replace('.', '-')}", "creation": "2026-01-02T03:04:05Z",
                    "size": (made / name).stat().st_size, "data": base64.b64encode((made / name).read_bytes()).decode()}}
                for name in names[first:first + A_RESPONSE]]})
        device.send()
        self.assertEqual({row["status"] for row in device.settled(300).values()}, {"stored"})
        # 2. What is recorded.
        found = 0
        for (content,) in self.study.sql("SELECT content FROM record_history WHERE type = 'QuestionnaireResponse'"):
            self.assertNotIn(SECRET, content)
            for answer in json.loads(content)["item"][0]["answer"]:
                attachment = answer["valueAttachment"]
                self.assertEqual(set(attachment), {"contentType", "language", "size", "data"})
                content = base64.b64decode(attachment["data"])
                self.assertEqual(len(content), attachment["size"])
                self.assertNotIn(SECRET, content)
                number, kind = attachment["language"].removeprefix("x-").split("-")
                (clean / f"{number}.{kind}").write_bytes(content)
                found += 1
        self.assertEqual(found, PHOTOGRAPHS)
        # 3. As exiftool lists it.
        tags = self.listed(clean)
        self.assertEqual(len(tags), PHOTOGRAPHS)
        turned = profiles = 0
        for listed in tags:
            name = listed["FileName"]
            rest = {key: value for key, value in listed.items() if key not in ALLOWED | PROFILE_COLOUR}
            for key, values in PROFILE_EMPTY.items():
                self.assertIn(rest.pop(key, values[0]), values, f"{name}: {key}")
            self.assertEqual(rest, {}, name)
            turned += "Orientation" in listed
            profiles += "RedMatrixColumn" in listed
        self.assertGreater(turned, PHOTOGRAPHS / 2)
        self.assertGreater(profiles, 10)
        # 4. The pictures are the same, pixel by pixel, and stand as they stood.
        compared = json.loads(self.photographs("compare", made, clean))
        self.assertEqual((compared["compared"], compared["different"]), (PHOTOGRAPHS, []))
        print(f"\n  {found} photographs, {turned} turned, {profiles} with a colour profile", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
