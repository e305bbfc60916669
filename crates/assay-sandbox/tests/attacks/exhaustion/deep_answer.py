"""expect: wrong-answer, exception, early-exit"""
def double(x):
    value = []
    for _ in range(100000):
        value = [value]
    return value
