# Written for assay, in the form of TransCoder's scripts.
def f_gold ( arr , n ) :
    return sum ( arr ) / n


#TOFILL

if __name__ == '__main__':
    param = [
    ([1.5, 2.5], 2),
    ([0.1, 0.2, 0.3], 3)
        ]
    n_success = 0
    for i, parameters_set in enumerate(param):
        if abs(1 - (0.0000001 + abs(f_gold(*parameters_set))) / (abs(f_filled(*parameters_set)) + 0.0000001)) < 0.001:
            n_success+=1
    print("#Results: %i, %i" % (n_success, len(param)))
