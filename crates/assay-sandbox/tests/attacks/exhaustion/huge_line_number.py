"""expect: exception"""
import os, struct, time
# The number of a line that no reader has room for. The tests must live on.
said = b'{"raised":"ValueError","message":"so","line":1' + b"0" * 4000 + b"}"
for message in (b'{"ready":0}', said):
    os.write(3, struct.pack("<I", len(message)) + message)
time.sleep(60)
