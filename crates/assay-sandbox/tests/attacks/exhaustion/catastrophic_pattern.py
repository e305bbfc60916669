"""expect: time-limit"""
import re
re.match(r"(a+)+$", "a" * 64 + "b")
