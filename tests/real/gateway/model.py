"""A language model that follows a script, in OpenAI's protocol: one call of a shell, then an answer.

    model.py FILE    writes its port there
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FORMS = {
    "plan": {"answer_at_once": False, "steps": ["Do it"], "tools": []},
    "reflection": {"as_expected": True, "progress": True, "change": None, "done": False},
    "judgement": {
        "title": "Make a file", "reached": "yes", "outcome": "It is done.", "root_cause": None,
        "failed_approaches": [], "lesson": None, "pattern": None,
    },
}
USAGE = {"prompt_tokens": 11, "completion_tokens": 7}


def said(body):
    form = body.get("response_format", {}).get("json_schema", {}).get("name")
    if form:
        return {"content": json.dumps(FORMS[form]) if form in FORMS else ""}
    if not body.get("tools"):
        return {"content": "In short: work was done."}
    roles = [message["role"] for message in body["messages"]]
    if "tool" in roles[len(roles) - roles[::-1].index("user") :]:
        return {"content": "It is made."}
    call = {"name": "shell_execute", "arguments": json.dumps({"command": "touch made.txt"})}
    return {"content": None, "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": call}]}


class Model(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer("application/json", json.dumps({"data": [{"id": "m"}]}))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = said(body)
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        if not body.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
            self.answer("application/json", json.dumps({"model": "m", "choices": [choice], "usage": USAGE}))
            return
        events = [
            {"choices": [{"delta": message}]},
            {"choices": [{"delta": {}, "finish_reason": reason}], "usage": USAGE},
        ]
        lines = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        self.answer("text/event-stream", f"{lines}data: [DONE]\n\n")

    def answer(self, kind, text):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
with open(sys.argv[1], "w") as file:
    file.write(str(server.server_port))
server.serve_forever()
