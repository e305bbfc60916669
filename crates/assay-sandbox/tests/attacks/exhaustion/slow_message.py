"""expect: early-exit, wrong-answer, time-limit, output-limit"""
import os, socket, struct
connection = socket.socket(fileno=3)
def read(length):
    data = b""
    while len(data) < length:
        data += connection.recv(length - len(data))
    return data
def question():
    return read(struct.unpack("<I", read(4))[0])
def answer(data):
    connection.sendall(struct.pack("<I", len(data)) + data)
# A number that takes long to read; the program is gone before it is.
question()
answer(b'{"ready":0}')
answer(b'{"value":4}')
question()
answer(b'{"slow":' + b"9" * 1200000 + b',"value":"abab"}')
os._exit(0)
