"""expect: exception, output-limit, early-exit, wrong-answer, memory-limit"""
import json, os, struct
data = json.dumps({"raised": "x" * (60 << 20), "message": "y", "line": 1}).encode()
data = struct.pack("<I", len(data)) + data
while data:
    data = data[os.write(3, data):]
os._exit(0)
