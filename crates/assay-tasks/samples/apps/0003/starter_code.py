
def ring_area(outer, inner):
	