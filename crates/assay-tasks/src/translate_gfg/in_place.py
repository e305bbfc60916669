def f_filled(*arguments):
    for kept, changed in zip(arguments, assay_arguments_after(*arguments)):
        if isinstance(kept, list):
            kept[:] = changed
        elif isinstance(kept, dict):
            kept.clear()
            kept.update(changed)
