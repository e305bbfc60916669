# Written for assay, in the form of TransCoder's scripts.
def f_gold ( n ) :
    total = 0
    while n > 0 :
        total += n % 10
        n //= 10
    return total


#TOFILL

if __name__ == '__main__':
    param = [
    (0,),
    (7,),
    (1234,),
    (90909,)
        ]
    n_success = 0
    for i, parameters_set in enumerate(param):
        if f_filled(*parameters_set) == f_gold(*parameters_set):
            n_success+=1
    print("#Results: %i, %i" % (n_success, len(param)))
