"""expect: output-limit"""
while True:
    print("x" * 10000)
