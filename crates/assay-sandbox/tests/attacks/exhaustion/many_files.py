"""expect: exception, time-limit"""
number = 0
while True:
    open("/tmp/%d" % number, "w").close()
    number += 1
