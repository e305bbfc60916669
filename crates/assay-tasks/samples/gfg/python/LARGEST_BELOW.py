# Written for assay, in the form of TransCoder's scripts.
def f_gold ( arr , n , limit ) :
    best = - 1
    for i in range ( n ) :
        if best < arr [ i ] < limit :
            best = arr [ i ]
    return best


#TOFILL

if __name__ == '__main__':
    param = [
    ([3, 9, 5], 3, 9),
    ([8], 1, 8),
    ([1, 2, 3, 4], 4, 100)
        ]
    n_success = 0
    for i, parameters_set in enumerate(param):
        if f_filled(*parameters_set) == f_gold(*parameters_set):
            n_success+=1
    print("#Results: %i, %i" % (n_success, len(param)))
