import copy


def assay_gold(*arguments):
    """The original function, which must not change what the translation is given."""
    return f_gold(*copy.deepcopy(arguments))
