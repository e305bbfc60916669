
def coverings(n):
	