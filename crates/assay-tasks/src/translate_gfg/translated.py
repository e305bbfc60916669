def assay_translated(*arguments):
    """Calls the translation, however it is called."""
    return assay_find_translation()(*arguments)


def assay_arguments_after(*arguments):
    """What a translation that works in place makes of its arguments."""
    assay_find_translation()(*arguments)
    return list(arguments)


def assay_find_translation():
    names = globals()
    for name in ("f_filled", "f_gold"):
        if name in names:
            return names[name]
    own = (value for name, value in names.items() if not name.startswith("assay_"))
    functions = (value for value in own if getattr(value, "__module__", None) == __name__ and hasattr(value, "__code__"))
    return next(functions)
