"""expect: time-limit, memory-limit"""
kept = []
while True:
    try:
        kept.append(bytearray(1 << 24))
    except BaseException:
        pass
