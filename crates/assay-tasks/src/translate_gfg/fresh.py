import copy

assay_gold = f_gold


def f_gold(*arguments):
    """The original function, which must not change what the translation is given."""
    return assay_gold(*copy.deepcopy(arguments))
