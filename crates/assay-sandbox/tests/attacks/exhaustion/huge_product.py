"""expect: time-limit, memory-limit"""
import itertools
print(len(list(itertools.product(range(10000), repeat=6))))
