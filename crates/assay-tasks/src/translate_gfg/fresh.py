import copy


def assay_with_copies(function):
    """The function, called with copies: neither it nor the other one sees what the other makes of its arguments."""
    return lambda *arguments: function(*copy.deepcopy(arguments))
