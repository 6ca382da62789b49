#!/usr/bin/env python3
"""Packs the AAR without Gradle: the same bytes for the same inputs, whatever the clock, the umask and the files' order.

Usage: package-aar.py --classes DIR --out FILE LIBRARY...

DIR is what the Kotlin compiler left; the folder of a LIBRARY names its ABI, as in arm64-v8a/libadroit.so. The rest is
in this repository. The AAR names no dependencies: an app that takes it adds JNA and coroutines itself.
"""

import argparse
import io
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "android" / "adroit"
MODEL = ROOT / "models" / "all-minilm-l6-v2.onnx"

# As the Android plugin writes it: the file in the sources has neither, since they stand in the build script there.
MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<manifest xmlns:android="http://schemas.android.com/apk/res/android"
    package="dev.adroit" >

    <uses-sdk android:minSdkVersion="24" />

</manifest>
"""
# The same for what the build script says there of apps.
METADATA = "aarFormatVersion=1.0\naarMetadataVersion=1.0\nminCompileSdk=33\n"
# Already as small as it gets, or to be read in place.
STORED = (".jar", ".jet")


def packed(entries):
    """The zip file of these contents by name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in sorted(entries.items()):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(STORED) else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=9)
    return file.getvalue()


def classes(folder):
    """The library's classes. Those of the sample app lie among them, and stay out."""
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.glob("dev/adroit/**/*.class")}
    found = {name: content for name, content in found.items() if not name.startswith("dev/adroit/sample/")}
    if not found:
        sys.exit(f"package-aar.py: no classes of the library in {folder}")
    # Without it Kotlin would not see what is outside of classes, such as Skills.open(context).
    module = "META-INF/adroit.kotlin_module"
    return found | {module: (folder / module).read_bytes()}


def main():
    usage = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usage.add_argument("--classes", metavar="DIR", type=Path, required=True)
    usage.add_argument("--out", metavar="FILE", type=Path, required=True)
    usage.add_argument("libraries", metavar="LIBRARY", type=Path, nargs="+")
    arguments = usage.parse_args()
    try:
        aar = packed({
            "AndroidManifest.xml": MANIFEST,
            "META-INF/com/android/build/gradle/aar-metadata.properties": METADATA,
            "LICENSE-APACHE": (ROOT / "LICENSE-APACHE").read_bytes(),
            "LICENSE-MIT": (ROOT / "LICENSE-MIT").read_bytes(),
            "LICENSE-MODEL": (ROOT / "models" / "LICENSE").read_bytes(),
            "R.txt": "",
            f"assets/adroit/{MODEL.name}.jet": MODEL.read_bytes(),
            "classes.jar": packed(classes(arguments.classes)),
            "proguard.txt": (LIBRARY / "consumer-rules.pro").read_bytes(),
        } | {f"jni/{path.parent.name}/{path.name}": path.read_bytes() for path in arguments.libraries})
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_bytes(aar)
    except OSError as error:
        sys.exit(f"package-aar.py: {error.filename}: {error.strerror}")


if __name__ == "__main__":
    main()
