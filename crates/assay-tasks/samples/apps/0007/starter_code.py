
def count_names(names):
	