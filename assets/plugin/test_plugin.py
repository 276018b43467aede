#!/usr/bin/env python3
"""Tests of {name}: they run it as the agent does. No network, no secrets."""
import json
import os
import subprocess
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugin.py")


def call(arguments):
    given = json.dumps({"arguments": arguments, "secrets": {}})
    done = subprocess.run([PROGRAM], input=given, capture_output=True, text=True, timeout=60)
    return done.returncode, json.loads(done.stdout)


class Calls(unittest.TestCase):
    def test_the_example_of_the_readme(self):
        self.assertEqual(call({"text": "two words"}), (0, {"words": 2}))

    def test_borders(self):
        for text, words in [("", 0), (" \n", 0), ("one", 1), ("a 'b' \"c\" 🦦", 4)]:
            self.assertEqual(call({"text": text}), (0, {"words": words}), text)
        self.assertEqual(call({"text": "x" * 100_000}), (0, {"words": 1}))

    def test_what_is_refused(self):
        for arguments in [{}, {"text": 7}, {"text": None}, {"text": "x" * 100_001}]:
            code, said = call(arguments)
            self.assertEqual((code, list(said)), (1, ["error"]), arguments)


if __name__ == "__main__":
    unittest.main(verbosity=2)
