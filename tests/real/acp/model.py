"""A language model that does what it is told, in OpenAI's protocol: `do TOOL JSON` is a call, and then an
answer; anything else is answered at once.

    model.py FILE    writes its port there
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FORMS = {
    "plan": {"answer_at_once": False, "steps": ["Do it", "Say so"], "tools": []},
    "reflection": {"as_expected": True, "progress": True, "change": None, "done": False},
    "judgement": {
        "title": "Do it", "reached": "yes", "outcome": "It is done.", "root_cause": None,
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
    messages = body["messages"]
    goals = [at for at, message in enumerate(messages) if message["role"] == "user" and is_goal(message)]
    if not goals:
        return {"content": "Nothing was said."}
    goal, later = messages[goals[-1]]["content"], messages[goals[-1] + 1 :]
    if not goal.startswith("do "):
        heard = " ".join(str(message["content"]) for message in later if message["role"] == "user")
        return {"content": f"You said: {goal} {heard}".strip()}
    if any(message["role"] == "tool" for message in later):
        return {"content": "It is over."}
    _, tool, arguments = goal.split(" ", 2)
    call = {"name": tool, "arguments": arguments}
    return {"content": None, "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": call}]}


def is_goal(message):
    text = message["content"]
    return isinstance(text, str) and text.startswith(("do ", "say "))


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
        try:
            self.wfile.write(text.encode())
        except BrokenPipeError:
            # Whoever asked was killed.
            pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
with open(sys.argv[1], "w") as file:
    file.write(str(server.server_port))
server.serve_forever()
