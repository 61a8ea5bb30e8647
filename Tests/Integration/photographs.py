"""Photographs with all that cameras and programs write into them, made and compared with pillow and piexif.

Runs in an environment of its own (test_photographs makes it):

    photographs.py make FOLDER COUNT SEED    writes FOLDER/N.jpg or N.png, and FOLDER/expected.json
    photographs.py compare FOLDER OTHER      prints what differs in OTHER's pictures: size, orientation, pixels
"""

import hashlib
import io
import json
import pathlib
import random
import struct
import sys
import warnings
import zlib

import piexif
from PIL import Image, ImageCms, PngImagePlugin

SECRET = "Quillfeather"
# The pictures are broken on purpose, in what is not the picture.
warnings.simplefilter("ignore")


def picture(rng, mode):
    size = rng.randrange(16, 90), rng.randrange(16, 90)
    bands = {"L": 1, "RGB": 3, "RGBA": 4, "CMYK": 4}.get(mode, 3)
    small = Image.frombytes({1: "L", 3: "RGB", 4: "CMYK" if mode == "CMYK" else "RGBA"}[bands], (6, 5),
                            rng.randbytes(30 * bands))
    image = small.resize(size)
    return image.convert("P", palette=Image.Palette.ADAPTIVE) if mode == "P" else image


def exif(rng, orientation):
    thumbnail = io.BytesIO()
    picture(rng, "RGB").resize((16, 12)).save(thumbnail, "JPEG", comment=SECRET)
    return piexif.dump({
        "0th": {piexif.ImageIFD.Make: SECRET, piexif.ImageIFD.Model: "X100", piexif.ImageIFD.Artist: SECRET,
                piexif.ImageIFD.DateTime: "2026:01:02 03:04:05", piexif.ImageIFD.Orientation: orientation,
                piexif.ImageIFD.XPAuthor: SECRET.encode("utf-16-le")},
        "Exif": {piexif.ExifIFD.MakerNote: SECRET.encode() * 20, piexif.ExifIFD.UserComment: b"ASCII\0\0\0" + SECRET.encode(),
                 piexif.ExifIFD.BodySerialNumber: SECRET, piexif.ExifIFD.DateTimeOriginal: "2026:01:02 03:04:05"},
        "GPS": {piexif.GPSIFD.GPSLatitudeRef: "N", piexif.GPSIFD.GPSLatitude: ((42, 1), (21, 1), (3600, 100)),
                piexif.GPSIFD.GPSLongitudeRef: "W", piexif.GPSIFD.GPSLongitude: ((71, 1), (3, 1), (1200, 100)),
                piexif.GPSIFD.GPSAreaInformation: b"ASCII\0\0\0" + SECRET.encode()},
        "Interop": {}, "1st": {piexif.ImageIFD.Make: SECRET}, "thumbnail": thumbnail.getvalue()})


def xmp():
    return (f'<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF '
            f'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/" dc:creator="{SECRET}"/></rdf:RDF></x:xmpmeta>').encode()


def segment(marker, content):
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def iptc():
    value = SECRET.encode()
    record = b"\x1c\x02\x50" + struct.pack(">H", len(value)) + value
    return b"Photoshop 3.0\0" + b"8BIM\x04\x04\0\0" + struct.pack(">I", len(record)) + record + b"\0" * (len(record) % 2)


def jpeg(rng, orientation):
    mode = rng.choice(["RGB", "RGB", "RGB", "L", "CMYK"])
    output, more = io.BytesIO(), {}
    if mode == "RGB" and rng.random() < 0.4:
        more["icc_profile"] = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    picture(rng, mode).save(output, "JPEG", quality=85, progressive=rng.random() < 0.3, comment=SECRET,
                            exif=exif(rng, orientation), dpi=(72, 72), **more)
    content = output.getvalue()
    planted = [segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + xmp()), segment(0xED, iptc()),
               segment(0xE2, b"MPF\0MM\0\x2a" + SECRET.encode()), segment(0xEC, b"Ducky" + SECRET.encode()),
               segment(0xE1, b"http://ns.adobe.com/xmp/extension/\0" + b"0" * 32 + b"\0\0\0\x0c\0\0\0\0" + SECRET.encode()),
               segment(0xE0, b"JFXX\0\x10" + SECRET.encode())]
    rng.shuffle(planted)
    # Behind the first segment, which is JFIF's where there is one.
    first = 2 if content[3] != 0xE0 else 4 + struct.unpack(">H", content[4:6])[0]
    content = content[:first] + b"".join(planted) + content[first:]
    if rng.random() < 0.5:
        content += b"\0\0\0\x18ftypmp42" + SECRET.encode() * 9
    return content


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(rng, orientation):
    mode = rng.choice(["RGB", "RGBA", "L", "P"])
    output, info = io.BytesIO(), PngImagePlugin.PngInfo()
    info.add_text("Author", SECRET)
    info.add_text("Comment", SECRET * 40, zip=True)
    info.add_itxt("XML:com.adobe.xmp", xmp().decode())
    more = {}
    if mode == "RGB" and rng.random() < 0.5:
        more["icc_profile"] = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    picture(rng, mode).save(output, "PNG", pnginfo=info, exif=exif(rng, orientation), dpi=(72, 72), **more)
    content = output.getvalue()
    planted = chunk(b"tIME", bytes([7, 0xEA, 1, 2, 3, 4, 5])) + chunk(b"prVt", SECRET.encode())
    if "icc_profile" not in more:
        planted += chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(b"sRGB", b"\0")
    return content[:33] + planted + content[33:] + (SECRET.encode() if rng.random() < 0.5 else b"")


def make(folder, count, seed):
    rng, expected = random.Random(int(seed)), {}
    for number in range(int(count)):
        orientation = rng.randrange(1, 9)
        kind = rng.choice(["jpg", "jpg", "png"])
        name = f"{number}.{kind}"
        (folder / name).write_bytes((jpeg if kind == "jpg" else png)(rng, orientation))
        expected[name] = {"orientation": orientation}
    (folder / "expected.json").write_text(json.dumps(expected))


def seen(path):
    with Image.open(path) as image:
        image.load()
        return {"size": list(image.size), "mode": image.mode, "orientation": image.getexif().get(0x0112, 1),
                "pixels": hashlib.sha256(image.tobytes()).hexdigest()}


def compare(folder, other):
    expected = json.loads((folder / "expected.json").read_text())
    different = []
    for name, said in expected.items():
        before, after = seen(folder / name), seen(other / name)
        if before != after or after["orientation"] != said["orientation"]:
            different.append([name, said, before, after])
    print(json.dumps({"compared": len(expected), "different": different}))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(pathlib.Path(sys.argv[2]), *sys.argv[3:5])
    else:
        compare(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
