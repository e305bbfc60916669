import json as assay_json


def assay_check(answer, at):
    """The original's comparison, of one test."""
    inputs, wanted = (assay_json.loads(text) for text in ASSAY_CASES[at])
    try:
        if isinstance(inputs[0], dict):
            inputs = [assay_whole_keys(inputs[0])]
    except Exception:
        pass
    try:
        if isinstance(wanted, dict):
            wanted = [assay_whole_keys(wanted)]
    except Exception:
        pass
    try:
        if isinstance(wanted[0], dict):
            wanted = [assay_whole_keys(wanted[0])]
    except Exception:
        pass
    given = answer(*inputs)
    if isinstance(given, tuple):
        given = list(given)
    right = given == wanted
    if isinstance(wanted, list) and wanted:
        right = right or given == wanted[0]
    try:
        if isinstance(given[0], tuple):
            right = right or [list(inner) for inner in given] == wanted[0]
    except Exception:
        pass
    if not right:
        call = f"{ASSAY_FUNCTION}({', '.join(f'{one!r:.100}' for one in inputs)})"
        raise AssertionError(f"{call:.300} gave {given!r:.200}, not {wanted!r:.200}")


def assay_whole_keys(members):
    return {int(key): value for key, value in members.items()}
