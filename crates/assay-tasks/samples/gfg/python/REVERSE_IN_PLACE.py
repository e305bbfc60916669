# Written for assay, in the form of TransCoder's scripts.
def f_gold ( arr , n ) :
    for i in range ( n // 2 ) :
        arr [ i ] , arr [ n - 1 - i ] = arr [ n - 1 - i ] , arr [ i ]


#TOFILL

if __name__ == '__main__':
    param = [
    ([1, 2, 3], 3),
    ([4], 1),
    ([5, 6, 7, 8], 2)
        ]
    filled_function_param = [
    ([1, 2, 3], 3),
    ([4], 1),
    ([5, 6, 7, 8], 2)
        ]
    n_success = 0
    for i, parameters_set in enumerate(param):
        f_filled(*(filled_function_param[i]))
        f_gold(*parameters_set)
        if parameters_set == filled_function_param[i]:
            n_success+=1
    print("#Results: %i, %i" % (n_success, len(param)))
