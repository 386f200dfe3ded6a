# SPDX-License-Identifier: Apache-2.0
"""Adds to pyproject.toml that a wheel with libanydnn in it, which scripts/wheel puts there, is for one platform."""
import pathlib

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

HAS_LIBRARY = (pathlib.Path(__file__).parent / "anydnn" / "lib").is_dir()


class Wheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", super().get_tag()[2]) if HAS_LIBRARY else super().get_tag()


class Package(Distribution):
    def has_ext_modules(self):
        return HAS_LIBRARY


setup(cmdclass={"bdist_wheel": Wheel}, distclass=Package)
