"""expect: output-limit"""
import os
while True:
    os.write(2, b"x" * 10000)
