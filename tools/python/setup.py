"""Builds libtpuplan.so from the headers with the C++ compiler ($CXX, or g++), or takes the one that $TPUPLAN_LIBRARY
names, and puts it into the package, with the questions that it knows (generate.py)."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

TREE = pathlib.Path(__file__).resolve().parents[2]
if not (TREE / "include/tpuplan/version.hpp").exists():
    raise SystemExit("tpuplan is built from a checkout of its repository, whose headers it compiles: pip install "
                     "./tools/python there, or pip wheel for other machines. This folder alone (an sdist) lacks them.")
VERSION = ".".join(re.findall(r"#define TPUPLAN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
                              (TREE / "include/tpuplan/version.hpp").read_text()))


class Build(build_py):
    def run(self):
        super().run()
        library = pathlib.Path(self.build_lib) / "tpuplan" / "libtpuplan.so"
        given = os.environ.get("TPUPLAN_LIBRARY")
        if given:
            shutil.copyfile(given, library)
        else:
            self.build_library(library)
        subprocess.run([sys.executable, TREE / "tools/python/generate.py", library,
                        library.with_name("questions.py")], check=True)

    def build_library(self, library):
        compiler = shlex.split(os.environ.get("CXX", "g++"))
        flags = shlex.split(os.environ.get("CXXFLAGS", "-O2"))
        subprocess.run([*compiler, "-std=c++17", *flags, "-fPIC", "-shared", "-fvisibility=hidden",
                        "-fvisibility-inlines-hidden", f"-I{TREE}/include", f"-I{TREE}/tools",
                        f"{TREE}/tools/capi/capi.cpp", "-o", str(library)], check=True)


class Compiled(Distribution):
    """A wheel of one platform: it has a library in it."""

    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    """The library is called by ctypes: one wheel serves every Python 3 of the platform."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(
    name="tpuplan",
    version=VERSION,
    description="Which TPU slice should run this model, will it fit, how long will it take, and what will it cost?",
    license="Apache-2.0",
    packages=["tpuplan"],
    package_data={"tpuplan": ["py.typed"]},
    python_requires=">=3.9",
    extras_require={"pandas": ["pandas"]},
    cmdclass={"build_py": Build, "bdist_wheel": AnyPython},
    distclass=Compiled,
)
