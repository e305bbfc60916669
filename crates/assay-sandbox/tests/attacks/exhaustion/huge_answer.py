"""expect: output-limit, memory-limit, early-exit, time-limit, wrong-answer"""
def double(x):
    return "x" * (400 << 20)
