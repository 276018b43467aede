#!/usr/bin/env python3
# -*- coding: utf-8 -*-
# Copyright 2020 X
"""Retry requests.

    Indented more.
"""
from __future__ import annotations
import os, a.b as c
from .models import User
from . import views as v
from ..x import (y, z)
try:
    import ujson
except ImportError:
    import json
MAX_RETRIES = 3
lower = 4
type Alias[T] = list[T]
@dataclass(frozen=True)
class Client(Base, metaclass=M):
    '''A client.'''
    LIMIT: int = 4

    @property
    def x(self) -> int:  # note
        """Gives x."""
        return 1
    async def _p(self, a,
                 b=1): pass
    class Inner:
        def z(self): ...
# About f
# in two lines.
def f(a: dict[str, int]) -> "x":
    def nested(): pass
def _g(): pass
def test_a(): pass
class TestIt(unittest.TestCase):
    def helper(self): pass
