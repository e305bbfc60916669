"""expect: early-exit, wrong-answer, time-limit, output-limit"""
import os, struct
# An answer on the sheet that takes long to read; the program is gone before it is.
os.write(4, b'{"value":4}\n{"slow":' + b"9" * 1200000 + b',"value":"abab"}\n')
data = b'{"ready":3}'
os.write(3, struct.pack("<I", len(data)) + data)
os._exit(0)
