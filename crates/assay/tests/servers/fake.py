"""A model server for tests, in both of OpenAI's forms. It counts its starts and its replies in the folder STATE.

Arguments as llama-server's; further ones decide how it misbehaves:
  --deaf           it never becomes ready
  --die-after N    each start dies after N replies, for --deaths starts
  --fail TEXT      it says TEXT and the key on standard error, and ends
  --drift          every reply is another one
  --family         it starts a process of its own, in another session
"""

import argparse
import http.server
import json
import os
import subprocess
import sys
import threading
import time

parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("--version", action="store_true")
parser.add_argument("--model")
parser.add_argument("--alias", default="fake")
parser.add_argument("--host", default="127.0.0.1")
parser.add_argument("--port", type=int)
parser.add_argument("--state", default=os.environ.get("FAKE_STATE", "."))
parser.add_argument("--key")
parser.add_argument("--deaf", action="store_true")
parser.add_argument("--die-after", type=int)
parser.add_argument("--deaths", type=int, default=1)
parser.add_argument("--fail")
parser.add_argument("--drift", action="store_true")
parser.add_argument("--family", action="store_true")
parser.add_argument("--slow", type=float, default=0)
options, _ = parser.parse_known_args()

if options.version:
    print("version: 4242 (fake)\nbuilt with care", file=sys.stderr)
    sys.exit()

KEY = os.environ.get("LLAMA_API_KEY", "")
lock = threading.Lock()
replies = 0


def note(name, text):
    with open(os.path.join(options.state, name), "a") as file:
        file.write(text + "\n")


note("starts", f"{os.getpid()} {options.port}")
note("keys", KEY)
note("others", os.environ.get("ASSAY_API_KEY", "") + os.environ.get("OPENAI_API_KEY", ""))
note("arguments", " ".join(sys.argv[1:]))
if options.family:
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    note("pids", f"{os.getpid()}\n{child.pid}")
if options.fail:
    print(f"loading\n{options.fail}: {KEY}", file=sys.stderr)
    sys.exit(3)
starts = len(open(os.path.join(options.state, "starts")).readlines())


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/health":
            status = 503 if options.deaf else 200
            return self.send(status, {"status": "ok"})
        self.send(404, {"error": "no such page"})

    def do_POST(self):
        global replies
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.headers.get("authorization") != f"Bearer {KEY}":
            return self.send(401, {"error": {"message": "wrong key"}})
        time.sleep(options.slow)
        with lock:
            replies += 1
            number = replies
            note("requests", json.dumps(body.get("prompt") or body["messages"]))
            dies = options.die_after is not None and starts <= options.deaths
            if dies and replies > options.die_after:
                print(f"out of memory, and the key is {KEY}", file=sys.stderr, flush=True)
                os._exit(9)
        text = f"    return None  # {number}\n" if options.drift else "    return None\n"
        if "messages" in body:
            choice = {"message": {"role": "assistant", "content": f"```python\n{text}```"}}
        else:
            choice = {"text": text}
        choice |= {"index": 0, "finish_reason": "stop"}
        usage = {"prompt_tokens": 3, "completion_tokens": 4}
        self.send(200, {"choices": [choice], "usage": usage})


http.server.ThreadingHTTPServer((options.host, options.port), Handler).serve_forever()
