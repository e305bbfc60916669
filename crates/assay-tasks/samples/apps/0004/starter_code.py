
def reads_same(text):
	