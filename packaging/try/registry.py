"""A registry of npm packages for one folder of .tgz files: registry.py FOLDER PORT. Reads only."""

import base64
import hashlib
import http.server
import json
import pathlib
import sys
import tarfile
import urllib.parse

FOLDER, PORT = pathlib.Path(sys.argv[1]), int(sys.argv[2])


def packages():
    """Names mapped to what a registry tells of them."""
    found = {}
    for path in FOLDER.glob("*.tgz"):
        with tarfile.open(path) as archive:
            described = json.load(archive.extractfile("package/package.json"))
        digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
        described["dist"] = {"tarball": f"http://127.0.0.1:{PORT}/-/{path.name}", "integrity": f"sha512-{digest}"}
        version = described["version"]
        found[described["name"]] = {"name": described["name"], "dist-tags": {"latest": version},
                                    "versions": {version: described}}
    return found


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = urllib.parse.unquote(self.path.partition("?")[0])[1:]
        if path.startswith("-/"):
            body = (FOLDER / pathlib.Path(path).name).read_bytes()
        elif path in KNOWN:
            body = json.dumps(KNOWN[path]).encode()
        else:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


KNOWN = packages()
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Answers).serve_forever()
