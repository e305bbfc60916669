"""expect: exception"""
with open("/tmp/big", "wb") as file:
    while True:
        file.write(b"x" * (1 << 20))
