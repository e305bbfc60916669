"""expect: output-limit, wrong-answer, time-limit"""
# Numbers with the same hash: every one that goes into the tests' set is compared with all before it.
prime = 2**61 - 1
def double(x):
    class Claim(list):
        pass
    import json, os, struct
    numbers = [{"i": hex(prime * n)} for n in range(1, 60000)]
    answer = json.dumps({"value": {"s": numbers}}).encode()
    for message in (b'{"ready":0}', answer):
        os.write(3, struct.pack("<I", len(message)))
        while message:
            message = message[os.write(3, message[:1 << 16]):]
    while True:
        pass
